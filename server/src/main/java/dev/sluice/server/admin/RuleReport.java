package dev.sluice.server.admin;

import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleEngine;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Tells everybody what becomes of the rules: the log, the audit log, the event stream and the counters. */
final class RuleReport implements RuleListener {
    private static final System.Logger LOG = System.getLogger(RuleReport.class.getName());

    private final RuleEngine engine;
    private final RuleTally tally;
    private final EventStream events;
    private final AuditLog audit;
    final LongAdder changes = new LongAdder();
    final LongAdder refusals = new LongAdder();

    RuleReport(RuleEngine engine, RuleTally tally, EventStream events, AuditLog audit) {
        this.engine = engine;
        this.tally = tally;
        this.events = events;
        this.audit = audit;
        countByName();
    }

    /** How many rules are in force. */
    int rules() {
        return engine.rules().rules().size();
    }

    @Override
    public void changed(@Nullable RuleVersion before, RuleVersion after) {
        countByName();
        changes.increment();
        JsonObject details = new JsonObject()
                .put("origin", after.origin().text())
                .put("before", before == null ? null : before.id())
                .put("after", after.id())
                .put("rules", rules());
        audit.record(after.who(), "rules", details);
        events.publish("rules", after.summary().put("rules", rules()));
        LOG.log(
                System.Logger.Level.INFO,
                "version {0} of the rules is in force: {1} rules, {2} by {3}",
                after.id(),
                rules(),
                after.origin().text(),
                after.who());
    }

    @Override
    public void refused(RuleTrouble trouble) {
        refusals.increment();
        events.publish("rules-refused", trouble.json());
        List<String> lines =
                trouble.problems().stream().map(RuleProblem::toString).toList();
        LOG.log(
                System.Logger.Level.ERROR,
                "bad rules, the old ones stay in force: {0}: {1}",
                trouble.where(),
                String.join("; ", lines));
    }

    @Override
    public void board(boolean reachable) {
        events.publish(reachable ? "board-up" : "board-down", new JsonObject());
        LOG.log(
                reachable ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
                reachable
                        ? "the rules are shared with the other servers again"
                        : "Redis does not answer: rules that are put on other servers do not arrive here");
    }

    private void countByName() {
        tally.rules(engine.rules().rules().stream().map(Rule::name).toList());
    }
}
