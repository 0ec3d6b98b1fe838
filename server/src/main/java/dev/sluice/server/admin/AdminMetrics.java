package dev.sluice.server.admin;

import dev.sluice.server.metrics.Metrics;
import dev.sluice.server.ruleset.ActiveRules;
import dev.sluice.server.ruleset.RuleUpdater;
import java.util.Map;

/** Shows what the admin port itself knows as metrics: its callers and listeners, changes of the rules, the figures. */
final class AdminMetrics {
    private final Metrics metrics;

    AdminMetrics(Metrics metrics) {
        this.metrics = metrics;
    }

    void show(EventStream events) {
        metrics.gauge(
                "sluice.events.listeners", "Clients that listen to the event stream.", events, EventStream::clients);
        metrics.counter(
                "sluice.events.cut.off",
                "Clients of the event stream that were cut off because they read too slowly.",
                events.slowClients);
    }

    void show(AdminAccess access, AuditLog audit) {
        metrics.counter(
                "sluice.admin.refused",
                "Requests to the admin port without a valid token, or from another site.",
                access.refused);
        metrics.counter("sluice.audit.failures", "Lines that could not be written to the audit log.", audit.failures);
    }

    void show(RuleUpdater updater, RuleChangeReporter reporter) {
        ActiveRules rules = updater.active();
        metrics.gauge("sluice.rules", "Rules in force.", reporter, RuleChangeReporter::rules);
        metrics.gauge(
                "sluice.rules.version",
                "The version of the rules in force.",
                rules,
                now -> now.version().number());
        metrics.gauge(
                "sluice.rules.bad",
                "1 while the newest rules are bad and older ones are in force.",
                rules,
                now -> now.rejected() == null ? 0 : 1);
        metrics.gauge(
                "sluice.rules.sharing.up",
                "1 while the rules that servers share can be read.",
                rules,
                now -> now.isSharingReachable() ? 1 : 0);
        metrics.gauge(
                "sluice.rules.overrides",
                "Keys that are blocked or overridden for a while.",
                updater,
                from -> from.overrides().size());
        metrics.counter("sluice.rules.changes", "Changes of the rules.", reporter.changes);
        metrics.counter(
                "sluice.rules.rejections", "Rules that were rejected because they were bad.", reporter.rejections);
    }

    void show(EnvoyReporter envoy) {
        metrics.gauge("sluice.envoy.config.limits", "Limits for Envoy in force.", envoy, EnvoyReporter::limits);
        metrics.gauge(
                "sluice.envoy.config.bad",
                "1 while the folder of limits for Envoy is bad and older ones are in force.",
                envoy,
                now -> now.isBad() ? 1 : 0);
        metrics.counter("sluice.envoy.config.changes", "Changes of the limits for Envoy.", envoy.changes);
        metrics.counter(
                "sluice.envoy.config.rejections",
                "Changes of the limits for Envoy that were rejected because they were bad.",
                envoy.rejections);
    }

    void show(FiguresHandler figures) {
        metrics.gauge(
                "sluice.figures.qps",
                "Requests per second over the last minute, of all servers.",
                figures,
                now -> now.qps(60));
        metrics.gauge(
                "sluice.figures.under.way",
                "The most requests that were under way at once in the last minute, of all servers.",
                figures,
                FiguresHandler::mostUnderWay);
        for (double part : new double[] {0.5, 0.99, 0.999}) {
            metrics.gauge(
                    "sluice.figures.response.seconds",
                    "The time from a check to its verdict over the last minute, of all servers.",
                    Map.entry("quantile", Double.toString(part)),
                    figures,
                    now -> now.responseSeconds(part));
        }
        metrics.gauge(
                "sluice.availability.target",
                "The part of requests that should be good.",
                figures,
                FiguresHandler::target);
        FiguresHandler.WINDOWS.forEach((name, window) -> {
            Map.Entry<String, String> label = Map.entry("window", name);
            metrics.gauge(
                    "sluice.availability",
                    "The part of requests that were good, of all servers.",
                    label,
                    figures,
                    now -> now.of(window).availability().orElse(Double.NaN));
            metrics.gauge(
                    "sluice.availability.budget.left.minutes",
                    "What is left of the error budget, in minutes.",
                    label,
                    figures,
                    now -> now.of(window).budgetLeftMinutes());
            metrics.gauge(
                    "sluice.availability.burn.rate",
                    "How fast the error budget is used: at 1 it lasts for the window.",
                    label,
                    figures,
                    now -> now.of(window).burnRate());
        });
    }
}
