/** A slow and obviously right limiter for each algorithm, to check the quick ones against. */
@NullMarked
package dev.sluice.model;

import org.jspecify.annotations.NullMarked;
