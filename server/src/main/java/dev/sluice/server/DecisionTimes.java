package dev.sluice.server;

import dev.sluice.rules.Verdict;
import dev.sluice.server.admin.AdminPort;
import dev.sluice.server.check.CheckListener;
import dev.sluice.server.envoy.CallListener;
import dev.sluice.server.envoy.RateLimitOutcome;
import dev.sluice.server.trace.CheckTracer;
import dev.sluice.server.web.Exchange;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes on what the data port decided: how long it took to the metrics and, if there are traces, all of it to those. */
final class DecisionTimes implements CheckListener, CallListener {
    private final AdminPort admin;
    private final @Nullable CheckTracer tracer;

    DecisionTimes(AdminPort admin, @Nullable CheckTracer tracer) {
        this.admin = admin;
        this.tracer = tracer;
    }

    @Override
    public void decided(Exchange exchange, long beganNanos, Verdict verdict) {
        admin.took(System.nanoTime() - beganNanos, verdict);
        if (tracer != null) {
            tracer.decided(exchange, beganNanos, verdict);
        }
    }

    @Override
    public void decided(Exchange exchange, long beganNanos, List<Verdict> verdicts) {
        admin.took(System.nanoTime() - beganNanos);
        if (tracer != null) {
            tracer.decided(exchange, beganNanos, verdicts);
        }
    }

    @Override
    public void decided(HttpServerRequest call, long beganNanos, RateLimitOutcome outcome) {
        admin.took(System.nanoTime() - beganNanos);
        if (tracer != null) {
            tracer.decided(call, beganNanos, outcome);
        }
    }
}
