@NullMarked
package dev.sluice.micrometer;

import org.jspecify.annotations.NullMarked;
