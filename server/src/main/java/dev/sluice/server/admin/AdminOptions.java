package dev.sluice.server.admin;

import dev.sluice.Store;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.ruleset.Watcher;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the admin port needs beside the rules.
 *
 * @param tokens the tokens that allow using it; {@linkplain AdminTokens#none none} only where no other machine can reach
 *     it, see {@link AdminAccess#requireSafe}
 * @param audit records the changes
 * @param store the store whose metrics are shown
 * @param watchers what else watches files, for the metrics
 * @param envoy the limits for Envoy, if they are in files
 * @param traffic what passes through the ports
 */
public record AdminOptions(
        AdminTokens tokens,
        AuditLog audit,
        Store store,
        List<Watcher> watchers,
        @Nullable EnvoyFolder envoy,
        Traffic traffic) {
    /** Nothing else that watches files, and no limits for Envoy. */
    public static AdminOptions of(AdminTokens tokens, AuditLog audit, Store store, Traffic traffic) {
        return new AdminOptions(tokens, audit, store, List.of(), null, traffic);
    }

    public AdminOptions envoy(@Nullable EnvoyFolder folder) {
        return new AdminOptions(tokens, audit, store, watchers, folder, traffic);
    }

    public AdminOptions watchers(List<Watcher> others) {
        return new AdminOptions(tokens, audit, store, List.copyOf(others), envoy, traffic);
    }
}
