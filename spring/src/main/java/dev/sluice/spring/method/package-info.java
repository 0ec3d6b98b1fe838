/** Applies {@link dev.sluice.spring.RateLimit} to methods. */
@NullMarked
package dev.sluice.spring.method;

import org.jspecify.annotations.NullMarked;
