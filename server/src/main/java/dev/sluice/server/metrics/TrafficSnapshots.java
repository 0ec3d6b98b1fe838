package dev.sluice.server.metrics;

import dev.sluice.server.envoy.GrpcStatuses;
import dev.sluice.server.web.HttpCounters;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.function.ToLongFunction;

/**
 * The counters of the ports for Prometheus. A status or a code appears with its first response, so the number of series
 * is bounded by the statuses that the server knows.
 */
final class TrafficSnapshots {
    private final HttpCounters http;
    private final GrpcStatuses grpc;

    TrafficSnapshots(HttpCounters http, GrpcStatuses grpc) {
        this.http = http;
        this.grpc = grpc;
    }

    MetricSnapshots all() {
        return MetricSnapshots.of(
                responses(),
                calls(),
                connections(),
                byPort("connections_opened", "Connections that were opened.", HttpCounters.Port::opened),
                byPort("received_bytes", "Bytes of the bodies of requests.", HttpCounters.Port::receivedBytes),
                byPort("sent_bytes", "Bytes of the bodies of responses.", HttpCounters.Port::sentBytes),
                byPort("resets", "Requests whose client went away before the response.", HttpCounters.Port::resets));
    }

    private CounterSnapshot responses() {
        CounterSnapshot.Builder builder =
                CounterSnapshot.builder().name("sluice_http_responses").help("Responses by port and status.");
        http.ports()
                .forEach((name, port) -> port.responses()
                        .forEach((status, count) -> builder.dataPoint(
                                point(Labels.of("port", name, "status", Integer.toString(status)), count))));
        return builder.build();
    }

    private CounterSnapshot calls() {
        CounterSnapshot.Builder builder =
                CounterSnapshot.builder().name("sluice_grpc_calls").help("gRPC calls by the code of their status.");
        grpc.byName().forEach((code, count) -> builder.dataPoint(point(Labels.of("code", code), count)));
        return builder.build();
    }

    private GaugeSnapshot connections() {
        GaugeSnapshot.Builder builder =
                GaugeSnapshot.builder().name("sluice_http_connections").help("Open connections.");
        http.ports()
                .forEach((name, port) -> builder.dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(Labels.of("port", name))
                        .value((double) port.open())
                        .build()));
        return builder.build();
    }

    private CounterSnapshot byPort(String name, String help, ToLongFunction<HttpCounters.Port> count) {
        CounterSnapshot.Builder builder =
                CounterSnapshot.builder().name("sluice_http_" + name).help(help);
        http.ports()
                .forEach((port, counters) ->
                        builder.dataPoint(point(Labels.of("port", port), count.applyAsLong(counters))));
        return builder.build();
    }

    private static CounterDataPointSnapshot point(Labels labels, long value) {
        return CounterDataPointSnapshot.builder()
                .labels(labels)
                .value((double) value)
                .build();
    }
}
