/** Limits in tests, on a clock that the test moves. */
@NullMarked
package dev.sluice.spring.test;

import org.jspecify.annotations.NullMarked;
