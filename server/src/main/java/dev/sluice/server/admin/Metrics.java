package dev.sluice.server.admin;

import dev.sluice.redis.RedisCounters;
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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Everything that is counted, for Prometheus. Reads counters that others keep; what it shows does not grow with traffic. */
final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbage = new JvmGcMetrics();

    Metrics() {
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

    void show(Telemetry telemetry) {
        registry.getPrometheusRegistry().register((MultiCollector)
                () -> MetricSnapshots.of(telemetry.byRule.snapshot(), telemetry.latency.snapshot()));
        String help = "Requests checked: allowed, denied, or with no rule that applies.";
        checks(telemetry.allowed, "allowed", help);
        checks(telemetry.denied, "denied", help);
        checks(telemetry.unmatched, "unmatched", help);
        counter("sluice.checks.degraded", "Requests told to make do with less.", telemetry.degraded);
        counter("sluice.offenders.missed", "Denials that the list of offenders missed.", telemetry.offenders.missed);
    }

    private void checks(LongAdder adder, String outcome, String help) {
        FunctionCounter.builder("sluice.checks", adder, LongAdder::sum)
                .tag("outcome", outcome)
                .description(help)
                .register(registry);
    }

    void show(EventStream events) {
        gauge("sluice.events.listeners", "Who listens to the event stream.", events, EventStream::clients);
        counter("sluice.events.cut.off", "Listeners cut off for being slow.", events.slowClients);
    }

    void show(AdminGate gate, AuditLog audit) {
        counter("sluice.admin.refused", "Requests to the admin port refused at the door.", gate.refused);
        counter("sluice.audit.failures", "Lines that the audit log could not take.", audit.failures);
    }

    void show(RuleSource source, RuleReport report) {
        RulesInForce rules = source.rules();
        gauge("sluice.rules", "Rules in force.", report, RuleReport::rules);
        gauge(
                "sluice.rules.version",
                "The version of the rules in force.",
                rules,
                now -> now.version().number());
        gauge(
                "sluice.rules.bad",
                "1 while the newest rules are bad and older ones in force.",
                rules,
                now -> now.trouble() == null ? 0 : 1);
        gauge(
                "sluice.rules.board.up",
                "1 while the rules of the other servers can be seen.",
                rules,
                now -> now.isBoardReachable() ? 1 : 0);
        gauge(
                "sluice.rules.holds",
                "Keys that are blocked or have limits of their own for a while.",
                source,
                from -> from.holds().size());
        counter("sluice.rules.changes", "How often the rules have changed.", report.changes);
        counter("sluice.rules.refusals", "How often rules were refused.", report.refusals);
    }

    void showStore(Supplier<RedisCounters> store) {
        stored("asked", "Decisions asked of Redis.", store, RedisCounters::asked);
        stored("answered.here", "Decisions answered without asking Redis.", store, RedisCounters::answeredHere);
        stored("timeouts", "Calls that Redis did not answer in time.", store, RedisCounters::timeouts);
        stored("failures", "Calls to Redis that failed otherwise.", store, RedisCounters::failures);
        stored("opened", "How often Redis was given up on for a while.", store, RedisCounters::timesOpened);
        policy("allow", store, RedisCounters::allowedByPolicy);
        policy("deny", store, RedisCounters::deniedByPolicy);
        policy("local", store, RedisCounters::decidedLocally);
        gauge(
                "sluice.store.up",
                "0 while Redis is given up on.",
                store,
                now -> now.get().open() ? 0 : 1);
    }

    private void policy(String policy, Supplier<RedisCounters> store, ToDoubleFunction<? super RedisCounters> count) {
        FunctionCounter.builder("sluice.store.without", store, now -> count.applyAsDouble(now.get()))
                .tag("policy", policy)
                .description("Requests decided by policy because Redis did not answer.")
                .register(registry);
    }

    private void stored(
            String name, String help, Supplier<RedisCounters> store, ToDoubleFunction<? super RedisCounters> count) {
        FunctionCounter.builder("sluice.store." + name, store, now -> count.applyAsDouble(now.get()))
                .description(help)
                .register(registry);
    }

    private void counter(String name, String help, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum).description(help).register(registry);
    }

    private <T> void gauge(String name, String help, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).description(help).strongReference(true).register(registry);
    }

    /** In the text format of Prometheus. Takes a moment: not for an event loop. */
    String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        garbage.close();
        registry.close();
    }
}
