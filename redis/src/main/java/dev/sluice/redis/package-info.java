/** The limiters of {@link dev.sluice}, shared by a fleet through Redis. */
@NullMarked
package dev.sluice.redis;

import org.jspecify.annotations.NullMarked;
