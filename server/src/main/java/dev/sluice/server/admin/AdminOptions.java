package dev.sluice.server.admin;

import dev.sluice.Store;
import dev.sluice.server.ruleset.Watcher;
import dev.sluice.server.web.BodyBudget;
import java.util.List;

/**
 * What the admin port needs beside the rules.
 *
 * @param tokens the tokens that allow using it; {@linkplain AdminTokens#none none} only where no other machine can reach
 *     it, see {@link AdminAccess#requireSafe}
 * @param audit records the changes
 * @param store the store whose metrics are shown
 * @param watchers what else watches files, for the metrics
 * @param budget the memory of unfinished bodies
 */
public record AdminOptions(
        AdminTokens tokens, AuditLog audit, Store store, List<Watcher> watchers, BodyBudget budget) {}
