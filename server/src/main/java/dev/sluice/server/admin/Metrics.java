package dev.sluice.server.admin;

import dev.sluice.Store;
import dev.sluice.micrometer.StoreMetrics;
import dev.sluice.rules.engine.Leases;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.ruleset.ActiveRules;
import dev.sluice.server.ruleset.RuleUpdater;
import dev.sluice.server.tls.PortTls;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.ConnectionMemory;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * All metrics, for Prometheus. It reads counters that others keep, and the number of its time series does not grow with
 * traffic.
 */
final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbage = new JvmGcMetrics();
    /** Binding these takes a tenth of a start, and nobody asks for them so soon. */
    private final CompletableFuture<Void> jvm = CompletableFuture.runAsync(this::bindJvm, Metrics::onItsOwnThread);

    private volatile Runnable beforeScrape = () -> {};

    private static void onItsOwnThread(Runnable task) {
        Thread thread = new Thread(task, "jvm-metrics");
        thread.setDaemon(true);
        thread.start();
    }

    private void bindJvm() {
        List.of(
                        garbage,
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        new ClassLoaderMetrics(),
                        new ProcessorMetrics(),
                        new FileDescriptorMetrics(),
                        new UptimeMetrics())
                .forEach(binder -> binder.bindTo(registry));
    }

    void show(VerdictCounters counters) {
        registry.getPrometheusRegistry().register((MultiCollector)
                () -> MetricSnapshots.of(counters.byRule.snapshot(), counters.latency.snapshot()));
        registry.getPrometheusRegistry().register((MultiCollector) counters.descriptors::snapshots);
        String help = "Checks: allowed, denied, or unmatched if no rule applies.";
        checks(counters.allowed, "allowed", help);
        checks(counters.denied, "denied", help);
        checks(counters.unmatched, "unmatched", help);
        counter("sluice.checks.degraded", "Checks that were allowed with the advice to degrade.", counters.degraded);
        counter(
                "sluice.offenders.missed",
                "Denials that are not counted in the list of offenders.",
                counters.offenders.missed);
    }

    private void checks(LongAdder adder, String outcome, String help) {
        FunctionCounter.builder("sluice.checks", adder, LongAdder::sum)
                .tag("outcome", outcome)
                .description(help)
                .register(registry);
    }

    void show(EventStream events) {
        gauge("sluice.events.listeners", "Clients that listen to the event stream.", events, EventStream::clients);
        counter(
                "sluice.events.cut.off",
                "Clients of the event stream that were cut off because they read too slowly.",
                events.slowClients);
    }

    void show(AdminAccess access, AuditLog audit) {
        counter(
                "sluice.admin.refused",
                "Requests to the admin port without a valid token, or from another site.",
                access.refused);
        counter("sluice.audit.failures", "Lines that could not be written to the audit log.", audit.failures);
    }

    void show(RuleUpdater updater, RuleChangeReporter reporter) {
        ActiveRules rules = updater.active();
        gauge("sluice.rules", "Rules in force.", reporter, RuleChangeReporter::rules);
        gauge(
                "sluice.rules.version",
                "The version of the rules in force.",
                rules,
                now -> now.version().number());
        gauge(
                "sluice.rules.bad",
                "1 while the newest rules are bad and older ones are in force.",
                rules,
                now -> now.rejected() == null ? 0 : 1);
        gauge(
                "sluice.rules.sharing.up",
                "1 while the rules that servers share can be read.",
                rules,
                now -> now.isSharingReachable() ? 1 : 0);
        gauge(
                "sluice.rules.overrides",
                "Keys that are blocked or overridden for a while.",
                updater,
                from -> from.overrides().size());
        counter("sluice.rules.changes", "Changes of the rules.", reporter.changes);
        counter("sluice.rules.rejections", "Rules that were rejected because they were bad.", reporter.rejections);
    }

    private void show(BodyBudget budget) {
        gauge(
                "sluice.bodies.unfinished.bytes",
                "Memory of request bodies that are not complete yet.",
                budget,
                BodyBudget::bytes);
        gauge(
                "sluice.bodies.unfinished.max.bytes",
                "The largest amount of memory for request bodies that are not complete yet.",
                budget,
                BodyBudget::maxBytes);
        FunctionCounter.builder("sluice.bodies.refused", budget, BodyBudget::refused)
                .description("Parts of bodies for which there was no memory, so that a connection was closed.")
                .register(registry);
    }

    private void show(ConnectionMemory memory) {
        for (ConnectionMemory.Use use : ConnectionMemory.Use.values()) {
            FunctionCounter.builder("sluice.http.connections.closed", memory, now -> now.closed(use))
                    .tag("use", use.name().toLowerCase(Locale.ROOT))
                    .description(
                            "Connections that were closed because of the memory that they took mostly for this use.")
                    .register(registry);
        }
    }

    void show(Watcher watcher) {
        FunctionCounter.builder("sluice.watch.failures", watcher, Watcher::failures)
                .tag("watch", watcher.name())
                .description(
                        "Failed attempts to read what is watched: the rules, the files for Envoy, or those for TLS.")
                .register(registry);
        Gauge.builder("sluice.watch.failing", watcher, now -> now.failure() == null ? 0 : 1)
                .tag("watch", watcher.name())
                .description("1 while attempts to look at what is watched end in an error.")
                .strongReference(true)
                .register(registry);
    }

    void show(PortTls tls) {
        Gauge.builder("sluice.tls.expires.seconds", tls, now -> now.expires().getEpochSecond())
                .tag("port", tls.port())
                .description("When the certificate of the port expires, in seconds since 1970.")
                .register(registry);
        Gauge.builder("sluice.tls.bad", tls, now -> now.isBad() ? 1 : 0)
                .tag("port", tls.port())
                .description("1 while the newest files for TLS are bad and older ones are in use.")
                .register(registry);
    }

    void show(Store store) {
        StoreMetrics metrics = new StoreMetrics(store);
        metrics.bindTo(registry);
        beforeScrape = metrics::refreshMasters;
    }

    void show(EnvoyReporter envoy) {
        gauge("sluice.envoy.config.limits", "Limits for Envoy in force.", envoy, EnvoyReporter::limits);
        gauge(
                "sluice.envoy.config.bad",
                "1 while the folder of limits for Envoy is bad and older ones are in force.",
                envoy,
                now -> now.isBad() ? 1 : 0);
        counter("sluice.envoy.config.changes", "Changes of the limits for Envoy.", envoy.changes);
        counter(
                "sluice.envoy.config.rejections",
                "Changes of the limits for Envoy that were rejected because they were bad.",
                envoy.rejections);
    }

    void show(Recorder recorder) {
        FunctionCounter.builder("sluice.recorder.records", recorder, Recorder::records)
                .description("Requests that were recorded.")
                .register(registry);
        FunctionCounter.builder("sluice.recorder.dropped", recorder, Recorder::dropped)
                .description("Requests that were not recorded because their attributes are too large.")
                .register(registry);
        gauge("sluice.recorder.bytes", "Memory of the recording.", recorder, Recorder::bytes);
        gauge(
                "sluice.recorder.max.bytes",
                "The largest amount of memory for the recording.",
                recorder,
                Recorder::maxBytes);
        gauge(
                "sluice.recorder.seconds",
                "How far back the recording goes.",
                recorder,
                now -> now.reach().toMillis() / 1000.0);
    }

    void show(FiguresHandler figures) {
        gauge(
                "sluice.figures.qps",
                "Requests per second over the last minute, of all servers.",
                figures,
                now -> now.qps(60));
        gauge(
                "sluice.figures.under.way",
                "The most requests that were under way at once in the last minute, of all servers.",
                figures,
                FiguresHandler::mostUnderWay);
        for (double part : new double[] {0.5, 0.99, 0.999}) {
            Gauge.builder("sluice.figures.response.seconds", figures, now -> now.responseSeconds(part))
                    .tag("quantile", Double.toString(part))
                    .description("The time from a check to its verdict over the last minute, of all servers.")
                    .strongReference(true)
                    .register(registry);
        }
        gauge(
                "sluice.availability.target",
                "The part of requests that should be good.",
                figures,
                FiguresHandler::target);
        FiguresHandler.WINDOWS.forEach((name, window) -> {
            availability(
                    "sluice.availability",
                    "The part of requests that were good, of all servers.",
                    figures,
                    name,
                    now -> now.of(window).availability().orElse(Double.NaN));
            availability(
                    "sluice.availability.budget.left.minutes",
                    "What is left of the error budget, in minutes.",
                    figures,
                    name,
                    now -> now.of(window).budgetLeftMinutes());
            availability(
                    "sluice.availability.burn.rate",
                    "How fast the error budget is used: at 1 it lasts for the window.",
                    figures,
                    name,
                    now -> now.of(window).burnRate());
        });
    }

    private void availability(
            String name, String help, FiguresHandler figures, String window, ToDoubleFunction<FiguresHandler> value) {
        Gauge.builder(name, figures, value)
                .tag("window", window)
                .description(help)
                .strongReference(true)
                .register(registry);
    }

    void show(Traffic traffic) {
        registry.getPrometheusRegistry()
                .register((MultiCollector) new TrafficSnapshots(traffic.http(), traffic.grpc())::all);
        show(traffic.budget());
        show(traffic.memory());
        FunctionCounter.builder("sluice.leases.granted", traffic.leases(), Leases::granted)
                .description("Requests that were given holds, each with a lease.")
                .register(registry);
        FunctionCounter.builder("sluice.leases.released", traffic.leases(), Leases::released)
                .description("Requests whose holds were released through this server before their leases ended.")
                .register(registry);
        FunctionCounter.builder(
                        "sluice.http.connections.rejected",
                        traffic,
                        now -> now.rejectedConnections().getAsLong())
                .description("Connections that were closed at once, because there were too many.")
                .register(registry);
    }

    private void counter(String name, String help, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum).description(help).register(registry);
    }

    private <T> void gauge(String name, String help, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).description(help).strongReference(true).register(registry);
    }

    /** All metrics in the text format of Prometheus. Takes too long for an event loop. */
    String scrape() {
        jvm.join();
        beforeScrape.run();
        return registry.scrape();
    }

    @Override
    public void close() {
        jvm.join();
        garbage.close();
        registry.close();
    }
}
