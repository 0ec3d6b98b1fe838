package dev.sluice.server.admin;

import dev.sluice.Store;
import dev.sluice.server.ruleset.Watcher;
import dev.sluice.server.tls.PortTls;
import java.util.List;

/**
 * What the admin port needs beside the rules.
 *
 * @param tokens the tokens that allow using it; {@linkplain AdminTokens#none none} only where no other machine can reach
 *     it, see {@link AdminAccess#requireSafe}
 * @param audit records the changes
 * @param store the store whose metrics are shown
 * @param storeShown the URL of the store, without its password
 * @param watchers what else watches files, for the metrics
 * @param tls the ports with TLS, for the metrics
 */
public record AdminOptions(
        AdminTokens tokens,
        AuditLog audit,
        Store store,
        String storeShown,
        List<Watcher> watchers,
        List<PortTls> tls) {}
