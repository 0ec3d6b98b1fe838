package dev.sluice.server.admin;

import dev.sluice.Store;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.tls.PortTls;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the admin port needs beside the rules.
 *
 * @param tokens the tokens that allow using it; {@linkplain AdminTokens#none none} only where no other machine can reach
 *     it, see {@link AdminAccess#requireSafe}
 * @param audit records the changes
 * @param store the store whose metrics are shown
 * @param storeShown the URL of the store, without its password
 * @param watchers what else watches files, for the metrics
 * @param envoy the limits for Envoy, if they are in files
 * @param traffic what passes through the ports
 * @param tls the ports with TLS, for the metrics
 */
public record AdminOptions(
        AdminTokens tokens,
        AuditLog audit,
        Store store,
        String storeShown,
        List<Watcher> watchers,
        @Nullable EnvoyFolder envoy,
        Traffic traffic,
        List<PortTls> tls) {
    /** Nothing else that watches files, no limits for Envoy, and no TLS. */
    public static AdminOptions of(AdminTokens tokens, AuditLog audit, Store store, Traffic traffic) {
        return new AdminOptions(tokens, audit, store, "memory", List.of(), null, traffic, List.of());
    }

    public AdminOptions storeShown(String shown) {
        return new AdminOptions(tokens, audit, store, shown, watchers, envoy, traffic, tls);
    }

    public AdminOptions envoy(@Nullable EnvoyFolder folder) {
        return new AdminOptions(tokens, audit, store, storeShown, watchers, folder, traffic, tls);
    }

    public AdminOptions watchers(List<Watcher> others) {
        return new AdminOptions(tokens, audit, store, storeShown, List.copyOf(others), envoy, traffic, tls);
    }

    public AdminOptions tls(List<PortTls> ports) {
        return new AdminOptions(tokens, audit, store, storeShown, watchers, envoy, traffic, List.copyOf(ports));
    }
}
