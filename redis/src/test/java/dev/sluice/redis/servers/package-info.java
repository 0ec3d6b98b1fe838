/** Real Redis servers for tests and benchmarks: one, a cluster, or a group watched by Sentinels. */
@NullMarked
package dev.sluice.redis.servers;

import org.jspecify.annotations.NullMarked;
