/** Speed and memory of the in-process limiters, beside the peers and the floor in one run. */
@NullMarked
package dev.sluice.bench.core;

import org.jspecify.annotations.NullMarked;
