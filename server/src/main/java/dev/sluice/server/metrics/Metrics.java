package dev.sluice.server.metrics;

import dev.sluice.Store;
import dev.sluice.micrometer.StoreMetrics;
import dev.sluice.rules.engine.Leases;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.tls.PortTls;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.ConnectionMemory;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
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
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * All metrics, for Prometheus. It reads counters that others keep, and the number of its time series does not grow with
 * traffic.
 */
public final class Metrics implements AutoCloseable {
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

    public void show(VerdictCounters counters) {
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

    public void show(Watcher watcher) {
        FunctionCounter.builder("sluice.watch.failures", watcher, Watcher::failures)
                .tag("watch", watcher.name())
                .description(
                        "Failed attempts to read what is watched: the rules, the files for Envoy, or those for TLS.")
                .register(registry);
        gauge(
                "sluice.watch.failing",
                "1 while attempts to look at what is watched end in an error.",
                Tags.of("watch", watcher.name()),
                watcher,
                now -> now.failure() == null ? 0 : 1);
    }

    public void show(PortTls tls) {
        Tags port = Tags.of("port", tls.port());
        gauge(
                "sluice.tls.expires.seconds",
                "When the certificate of the port expires, in seconds since 1970.",
                port,
                tls,
                now -> now.expires().getEpochSecond());
        gauge(
                "sluice.tls.bad",
                "1 while the newest files for TLS are bad and older ones are in use.",
                port,
                tls,
                now -> now.isBad() ? 1 : 0);
    }

    public void show(Store store) {
        StoreMetrics metrics = new StoreMetrics(store);
        metrics.bindTo(registry);
        beforeScrape = metrics::refreshMasters;
    }

    public void show(Recorder recorder) {
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

    public void show(Traffic traffic) {
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

    /** A counter that something keeps. */
    public void counter(String name, String help, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum).description(help).register(registry);
    }

    /** A number that something knows. */
    public <T> void gauge(String name, String help, T of, ToDoubleFunction<T> value) {
        gauge(name, help, Tags.empty(), of, value);
    }

    /** The same, one of several of this name: that with {@code label} as its tag. */
    public <T> void gauge(String name, String help, Map.Entry<String, String> label, T of, ToDoubleFunction<T> value) {
        gauge(name, help, Tags.of(label.getKey(), label.getValue()), of, value);
    }

    private <T> void gauge(String name, String help, Tags tags, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value)
                .tags(tags)
                .description(help)
                .strongReference(true)
                .register(registry);
    }

    /** All metrics in the text format of Prometheus. Takes too long for an event loop. */
    public String scrape() {
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
