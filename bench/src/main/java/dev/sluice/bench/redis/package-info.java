/** Speed and memory of the limiters on Redis, always beside the peers and the floor in one run on one server. */
@NullMarked
package dev.sluice.bench.redis;

import org.jspecify.annotations.NullMarked;
