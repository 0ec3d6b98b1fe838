/** What stores share with each other: the calls of a limiter, building decisions, shedding. */
@NullMarked
package dev.sluice.spi;

import org.jspecify.annotations.NullMarked;
