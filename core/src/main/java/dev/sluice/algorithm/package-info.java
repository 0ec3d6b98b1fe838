/**
 * The algorithms: pure integer math on the state of one key, in microseconds. Nothing here reads a clock, logs, locks
 * or draws a random number.
 */
@NullMarked
package dev.sluice.algorithm;

import org.jspecify.annotations.NullMarked;
