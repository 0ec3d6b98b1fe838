package dev.sluice.server;

import dev.sluice.rules.Verdict;
import dev.sluice.server.check.CheckListener;
import dev.sluice.server.envoy.CallListener;
import dev.sluice.server.envoy.RateLimitOutcome;
import dev.sluice.server.trace.CheckTracer;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Passes on what the data port decided: how long it took to the metrics and, if there are traces, all of it to those. */
final class DecisionTimes implements CheckListener, CallListener {
    private final LongConsumer latency;
    private final @Nullable CheckTracer tracer;

    DecisionTimes(LongConsumer latency, @Nullable CheckTracer tracer) {
        this.latency = latency;
        this.tracer = tracer;
    }

    @Override
    public void decided(HttpServerRequest request, long beganNanos, Verdict verdict) {
        latency.accept(System.nanoTime() - beganNanos);
        if (tracer != null) {
            tracer.decided(request, beganNanos, verdict);
        }
    }

    @Override
    public void decided(HttpServerRequest request, long beganNanos, List<Verdict> verdicts) {
        latency.accept(System.nanoTime() - beganNanos);
        if (tracer != null) {
            tracer.decided(request, beganNanos, verdicts);
        }
    }

    @Override
    public void decided(HttpServerRequest call, long beganNanos, RateLimitOutcome outcome) {
        latency.accept(System.nanoTime() - beganNanos);
        if (tracer != null) {
            tracer.decided(call, beganNanos, outcome);
        }
    }
}
