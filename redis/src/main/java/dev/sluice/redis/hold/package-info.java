/** The holds that this process has in Redis: renewed while it has them, put under leases of their own, and released. */
@NullMarked
package dev.sluice.redis.hold;

import org.jspecify.annotations.NullMarked;
