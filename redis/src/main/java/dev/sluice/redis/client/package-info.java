/** Connections to Redis: addresses, Lettuce and Jedis behind one interface, timeouts, the circuit breaker. */
@NullMarked
package dev.sluice.redis.client;

import org.jspecify.annotations.NullMarked;
