package dev.sluice.server.admin;

import dev.sluice.rules.Rule;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.metrics.VerdictCounters;
import dev.sluice.server.ruleset.RejectedRules;
import dev.sluice.server.ruleset.RuleChangeListener;
import dev.sluice.server.ruleset.RuleProblem;
import dev.sluice.server.ruleset.RuleVersion;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Reports changes of the rules to the log, the audit log, the event stream and the counters. */
final class RuleChangeReporter implements RuleChangeListener {
    private static final System.Logger LOG = System.getLogger(RuleChangeReporter.class.getName());

    private final RuleEngine engine;
    private final VerdictCounters counters;
    private final EventStream events;
    private final AuditLog audit;
    final LongAdder changes = new LongAdder();
    final LongAdder rejections = new LongAdder();

    RuleChangeReporter(RuleEngine engine, VerdictCounters counters, EventStream events, AuditLog audit) {
        this.engine = engine;
        this.counters = counters;
        this.events = events;
        this.audit = audit;
        countByName();
    }

    /** How many rules are in force. */
    int rules() {
        return engine.rules().rules().size();
    }

    @Override
    public void changed(RuleVersion before, RuleVersion after) {
        countByName();
        changes.increment();
        JsonObject details = new JsonObject()
                .put("origin", after.origin().text())
                .put("before", before.id())
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
    public void rejected(RejectedRules rejected) {
        rejections.increment();
        events.publish("rules-rejected", rejected.json());
        List<String> lines =
                rejected.problems().stream().map(RuleProblem::toString).toList();
        LOG.log(
                System.Logger.Level.ERROR,
                "bad rules, the old ones stay in force: {0}: {1}",
                rejected.where(),
                String.join("; ", lines));
    }

    @Override
    public void sharing(boolean reachable) {
        events.publish(reachable ? "sharing-up" : "sharing-down", new JsonObject());
        LOG.log(
                reachable ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
                reachable
                        ? "the rules are shared with the other servers again"
                        : "Redis does not answer: changes of the rules on other servers do not arrive here");
    }

    private void countByName() {
        counters.rules(engine.rules().rules().stream().map(Rule::name).toList());
    }
}
