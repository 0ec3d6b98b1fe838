/** The decisions of limiters as meters of Micrometer. */
@NullMarked
package dev.sluice.micrometer;

import org.jspecify.annotations.NullMarked;
