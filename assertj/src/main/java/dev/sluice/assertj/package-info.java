/** Assertions on limiters and rules, in the style of AssertJ. */
@NullMarked
package dev.sluice.assertj;

import org.jspecify.annotations.NullMarked;
