@NullMarked
package dev.sluice.spi;

import org.jspecify.annotations.NullMarked;
