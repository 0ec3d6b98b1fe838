/** What makes {@link dev.sluice.spring.RateLimit} work. */
@NullMarked
package dev.sluice.spring.method;

import org.jspecify.annotations.NullMarked;
