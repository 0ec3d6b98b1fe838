package dev.sluice.server.admin;

import dev.sluice.redis.RedisStore;
import dev.sluice.server.ruleset.Watcher;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the admin port needs beside the rules.
 *
 * @param tokens the tokens that allow using it; {@linkplain AdminTokens#none none} only where no other machine can reach
 *     it, see {@link AdminAccess#requireSafe}
 * @param audit records the changes
 * @param store the Redis whose metrics are shown; null for a store in memory
 * @param watchers what else watches files, for the metrics
 */
public record AdminOptions(
        AdminTokens tokens, AuditLog audit, @Nullable RedisStore store, List<Watcher> watchers) {}
