/** Bad input, hostile keys, and the ends of the ranges of numbers and of time. */
@NullMarked
package dev.sluice.edges;

import org.jspecify.annotations.NullMarked;
