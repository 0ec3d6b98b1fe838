/** The command line of the benchmarks. */
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
