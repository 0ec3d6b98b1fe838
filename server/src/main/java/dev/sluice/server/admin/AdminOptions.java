package dev.sluice.server.admin;

import dev.sluice.redis.RedisStore;
import org.jspecify.annotations.Nullable;

/**
 * How the admin port is run.
 *
 * @param tokens who may use it; {@linkplain Tokens#none none} only where nobody else can reach it, see {@link
 *     AdminGate#requireSafe}
 * @param audit where changes are written down
 * @param store the Redis whose counters are shown; null for a store in memory
 */
public record AdminOptions(
        Tokens tokens, AuditLog audit, @Nullable RedisStore store) {}
