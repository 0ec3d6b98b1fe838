@NullMarked
package dev.sluice.examples.flashsale;

import org.jspecify.annotations.NullMarked;
