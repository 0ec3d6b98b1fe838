/** Speed and memory of the in-process limiters, always beside the peers and the floor in one run. */
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
