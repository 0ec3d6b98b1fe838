package dev.sluice.server.admin;

import dev.sluice.Store;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.history.HistorySettings;
import dev.sluice.server.metrics.Traffic;
import dev.sluice.server.record.Recorder;
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
 * @param recorder records requests; null if none are recorded
 * @param history what the history needs to know
 */
public record AdminOptions(
        AdminTokens tokens,
        AuditLog audit,
        Store store,
        String storeShown,
        List<Watcher> watchers,
        @Nullable EnvoyFolder envoy,
        Traffic traffic,
        List<PortTls> tls,
        @Nullable Recorder recorder,
        HistorySettings history) {
    /** Nothing else that watches files, no limits for Envoy, no TLS, and no recording. */
    public static AdminOptions of(AdminTokens tokens, AuditLog audit, Store store, Traffic traffic) {
        return new AdminOptions(
                tokens, audit, store, "memory", List.of(), null, traffic, List.of(), null, HistorySettings.DEFAULTS);
    }

    public AdminOptions storeShown(String shown) {
        return new AdminOptions(tokens, audit, store, shown, watchers, envoy, traffic, tls, recorder, history);
    }

    public AdminOptions envoy(@Nullable EnvoyFolder folder) {
        return new AdminOptions(tokens, audit, store, storeShown, watchers, folder, traffic, tls, recorder, history);
    }

    public AdminOptions watchers(List<Watcher> others) {
        return new AdminOptions(
                tokens, audit, store, storeShown, List.copyOf(others), envoy, traffic, tls, recorder, history);
    }

    public AdminOptions tls(List<PortTls> ports) {
        return new AdminOptions(
                tokens, audit, store, storeShown, watchers, envoy, traffic, List.copyOf(ports), recorder, history);
    }

    public AdminOptions recorder(@Nullable Recorder records) {
        return new AdminOptions(tokens, audit, store, storeShown, watchers, envoy, traffic, tls, records, history);
    }

    public AdminOptions history(HistorySettings settings) {
        return new AdminOptions(tokens, audit, store, storeShown, watchers, envoy, traffic, tls, recorder, settings);
    }
}
