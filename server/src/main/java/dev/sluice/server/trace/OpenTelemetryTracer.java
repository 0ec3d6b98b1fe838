package dev.sluice.server.trace;

import dev.sluice.Decision;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.server.envoy.RateLimitOutcome;
import dev.sluice.server.web.Exchange;
import dev.sluice.server.web.VertxExchange;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes a span of every check, within the trace that the request came with.
 *
 * <p>A span is made when the check is decided, with the time of its start. So nothing has to be carried along while a
 * check waits, and a check costs nothing more than its span.
 */
final class OpenTelemetryTracer implements CheckTracer {
    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
    private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");
    private static final AttributeKey<String> RULE = AttributeKey.stringKey("sluice.rule");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("sluice.outcome");
    private static final AttributeKey<String> SOURCE = AttributeKey.stringKey("sluice.source");
    private static final AttributeKey<String> DOMAIN = AttributeKey.stringKey("sluice.domain");
    private static final String SERVICE_NAME = "otel.service.name";
    private static final int SECONDS_TO_CLOSE = 5;

    private static final TextMapGetter<MultiMap> HEADERS = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(MultiMap headers) {
            return headers.names();
        }

        @Override
        public @Nullable String get(@Nullable MultiMap headers, String name) {
            return headers == null ? null : headers.get(name);
        }
    };

    private final OpenTelemetrySdk sdk;
    private final Tracer tracer;
    private final TextMapPropagator propagator;

    private OpenTelemetryTracer(OpenTelemetrySdk sdk) {
        this.sdk = sdk;
        this.tracer = sdk.getTracer("dev.sluice.server");
        this.propagator = sdk.getPropagators().getTextMapPropagator();
    }

    /** Starts to send spans, as these properties of OpenTelemetry say. */
    static OpenTelemetryTracer start(Map<String, String> properties) {
        Map<String, String> all = new HashMap<>(Map.of(
                SERVICE_NAME,
                "sluice",
                "otel.traces.exporter",
                "otlp",
                "otel.exporter.otlp.protocol",
                "http/protobuf"));
        all.putAll(properties);
        if (!properties.containsKey(SERVICE_NAME) && namesService(properties)) {
            all.remove(SERVICE_NAME);
        }
        all.put("otel.metrics.exporter", "none"); // Prometheus reads them
        all.put("otel.logs.exporter", "none");
        return new OpenTelemetryTracer(AutoConfiguredOpenTelemetrySdk.builder()
                .addPropertiesCustomizer(config -> all)
                .disableShutdownHook()
                .build()
                .getOpenTelemetrySdk());
    }

    /** Whether the attributes of the resource have the name of the service, which then goes before the default. */
    private static boolean namesService(Map<String, String> properties) {
        return Stream.of(properties.getOrDefault("otel.resource.attributes", "").split(","))
                .anyMatch(attribute -> attribute.strip().startsWith("service.name="));
    }

    @Override
    public void decided(Exchange exchange, long beganNanos, Verdict verdict) {
        span(exchange, beganNanos, verdict, context(exchange.headers()));
    }

    @Override
    public void decided(Exchange exchange, long beganNanos, List<Verdict> verdicts) {
        Context parent = context(exchange.headers());
        verdicts.forEach(verdict -> span(exchange, beganNanos, verdict, parent));
    }

    private void span(Exchange exchange, long beganNanos, Verdict verdict, Context parent) {
        RuleDecision decisive = verdict.decisive();
        Span span = begin("check", exchange, beganNanos, parent);
        if (decisive == null) {
            span.setAttribute(OUTCOME, "unmatched");
        } else {
            span.setAttribute(OUTCOME, !verdict.allowed() ? "denied" : verdict.degraded() ? "degraded" : "allowed")
                    .setAttribute(RULE, decisive.rule().name())
                    .setAttribute(SOURCE, word(decisive.decision().source()));
        }
        span.end();
    }

    @Override
    public void decided(HttpServerRequest call, long beganNanos, RateLimitOutcome outcome) {
        Span span = begin("ShouldRateLimit", new VertxExchange(call), beganNanos, context(call.headers()))
                .setAttribute(DOMAIN, outcome.domain());
        if (outcome.limits().isEmpty()) {
            span.setAttribute(OUTCOME, "unmatched");
        } else {
            span.setAttribute(OUTCOME, outcome.allowed() ? "allowed" : "denied")
                    .setAttribute(RULE, String.join(",", outcome.limits()))
                    .setAttribute(
                            SOURCE,
                            String.join(
                                    ",",
                                    outcome.sources().stream()
                                            .map(OpenTelemetryTracer::word)
                                            .toList()));
        }
        span.end();
    }

    private Span begin(String name, Exchange exchange, long beganNanos, Context parent) {
        Instant began = Instant.now().minus(System.nanoTime() - beganNanos, ChronoUnit.NANOS);
        return tracer.spanBuilder(name)
                .setParent(parent)
                .setSpanKind(SpanKind.SERVER)
                .setStartTimestamp(began)
                .setAttribute(METHOD, exchange.method())
                .setAttribute(PATH, exchange.path())
                .startSpan();
    }

    private Context context(MultiMap headers) {
        return propagator.extract(Context.root(), headers, HEADERS);
    }

    private static String word(Decision.Source source) {
        return source.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public void close() {
        sdk.shutdown().join(SECONDS_TO_CLOSE, TimeUnit.SECONDS);
    }
}
