package dev.sluice.server.admin;

import dev.sluice.Store;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisCounters.BreakerState;
import dev.sluice.server.ruleset.ActiveRules;
import dev.sluice.server.ruleset.RuleUpdater;
import dev.sluice.server.ruleset.Watcher;
import dev.sluice.server.tls.PortTls;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
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

/**
 * All metrics, for Prometheus. It reads counters that others keep, and the number of its time series does not grow with
 * traffic.
 */
final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbage = new JvmGcMetrics();
    private volatile Runnable beforeScrape = () -> {};

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

    void show(VerdictCounters counters) {
        registry.getPrometheusRegistry().register((MultiCollector)
                () -> MetricSnapshots.of(counters.byRule.snapshot(), counters.latency.snapshot()));
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

    void show(Watcher watcher) {
        FunctionCounter.builder("sluice.watch.failures", watcher, Watcher::failures)
                .tag("watch", watcher.name())
                .description(
                        "Failed attempts to read what is watched: the rules, the files for Envoy, or those for TLS.")
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

    void showMemory(Store store) {
        gauge(
                "sluice.store.keys",
                "Keys with a counter of their own in this process.",
                store,
                now -> now.usage().keys());
        gauge(
                "sluice.store.bytes",
                "Bytes that counters take in this process.",
                store,
                now -> now.usage().bytes());
        gauge(
                "sluice.store.bytes.max",
                "The bound on the bytes that counters take in this process.",
                store,
                now -> now.usage().maxBytes());
        FunctionCounter.builder(
                        "sluice.store.at.bound", store, now -> now.usage().atBound())
                .description("Decisions on keys that shared a counter, because the memory was used up.")
                .register(registry);
    }

    void showStore(Supplier<RedisCounters> store) {
        stored("asked", "Decisions that Redis was asked for.", store, RedisCounters::asked);
        stored("answered.here", "Decisions without asking Redis.", store, RedisCounters::answeredHere);
        stored("timeouts", "Calls to Redis that timed out.", store, RedisCounters::timeouts);
        stored("failures", "Calls to Redis that failed for another reason.", store, RedisCounters::failures);
        stored("opened", "How often a circuit breaker opened.", store, RedisCounters::timesOpened);
        stored("calls", "Commands sent to Redis.", store, RedisCounters::calls);
        stored("late", "Replies of Redis that came after the timeout.", store, RedisCounters::late);
        stored("refusals", "Calls not sent because too many were in flight.", store, RedisCounters::refusals);
        stored("reconnects", "Connections made in place of an earlier one.", store, RedisCounters::reconnects);
        stored("holds.restored", "Holds that Redis had lost, added again.", store, RedisCounters::holdsRestored);
        stored("holds.lost", "Holds that Redis had lost, and others took.", store, RedisCounters::holdsLost);
        stored(
                "damaged",
                "States in Redis that could not be read, and were replaced.",
                store,
                RedisCounters::damagedStates);
        gauge(
                "sluice.store.in.flight",
                "Calls that wait for Redis.",
                store,
                now -> now.get().inFlight());
        gauge(
                "sluice.store.batched",
                "Permits that were fetched ahead and are not spent.",
                store,
                now -> now.get().permitsInBatches());
        gauge(
                "sluice.store.batched.max",
                "The most permits that may be fetched ahead for the keys that are hot now.",
                store,
                now -> now.get().maxPermitsInBatches());
        policy("allow", store, RedisCounters::allowedByPolicy);
        policy("deny", store, RedisCounters::deniedByPolicy);
        policy("local", store, RedisCounters::decidedLocally);
        gauge(
                "sluice.store.up",
                "0 while a circuit breaker is open, so that a master of Redis is not asked.",
                store,
                now -> now.get().open() ? 0 : 1);
        MultiGauge masters = MultiGauge.builder("sluice.store.master.up")
                .description("0 while the circuit breaker of this master is open, and 1 while it is asked.")
                .register(registry);
        beforeScrape = () -> masters.register(
                store.get().breakers().entrySet().stream()
                        .map(each -> MultiGauge.Row.of(
                                Tags.of("master", each.getKey()), each.getValue() == BreakerState.OPEN ? 0 : 1))
                        .toList(),
                true);
    }

    private void policy(String policy, Supplier<RedisCounters> store, ToDoubleFunction<? super RedisCounters> count) {
        FunctionCounter.builder("sluice.store.without", store, now -> count.applyAsDouble(now.get()))
                .tag("policy", policy)
                .description("Checks decided by on-store-failure because Redis did not answer.")
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

    /** All metrics in the text format of Prometheus. Takes too long for an event loop. */
    String scrape() {
        beforeScrape.run();
        return registry.scrape();
    }

    @Override
    public void close() {
        garbage.close();
        registry.close();
    }
}
