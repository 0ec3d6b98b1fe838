package dev.sluice.server.admin;

import dev.sluice.Decision;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.rules.RuleDecision;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes how a key stands as what can be drawn: a window with its slices, a log with its entries, a bucket, a queue, or
 * holds.
 */
final class KeyStateJson implements Limit.Cases<JsonObject> {
    private static final double NANOS = 1e9;
    private static final double MICROS = 1e3;

    private final Decision decision;
    /** Null if the store did not say. */
    private final @Nullable KeyUsage usage;

    private KeyStateJson(Decision decision, @Nullable KeyUsage usage) {
        this.decision = decision;
        this.usage = usage;
    }

    /**
     * One state for each limit; none if an admin blocks the key.
     *
     * @param usage what is in use of each limit; empty if the store did not say
     */
    static JsonArray of(RuleDecision decision, List<KeyUsage> usage) {
        List<Decision> each = decision.decision().perLimit();
        List<Limit> limits = decision.limiter().limits();
        JsonArray states = new JsonArray();
        for (int i = 0; i < limits.size() && limits.size() == each.size(); i++) {
            KeyStateJson state = new KeyStateJson(each.get(i), usage.size() == limits.size() ? usage.get(i) : null);
            if (each.get(i).limit() > 0) {
                states.add(
                        limits.get(i).accept(state).put("limit", limits.get(i).text()));
            }
        }
        return states;
    }

    private JsonObject used(String algorithm) {
        return new JsonObject()
                .put("algorithm", algorithm)
                .put("used", used())
                .put("capacity", decision.limit())
                .put("resetAfterMs", DecisionJson.millis(decision.resetAfterMicros()));
    }

    /** With what was taken when: the spans add up to what is used. */
    private JsonObject taken(String algorithm, Duration period) {
        JsonObject json = used(algorithm).put("periodMs", period.toMillis());
        if (usage == null) {
            return json;
        }
        JsonArray spans = new JsonArray();
        for (KeyUsage.Span span : usage.spans()) {
            spans.add(new JsonObject()
                    .put("fromMsAgo", span.fromMicrosAgo() / MICROS)
                    .put("toMsAgo", span.toMicrosAgo() / MICROS)
                    .put("permits", span.permits()));
        }
        return json.put("used", usage.used()).put("spans", spans);
    }

    private long used() {
        return Math.max(0, decision.limit() - decision.remaining());
    }

    @Override
    public JsonObject fixedWindow(Limit.FixedWindow limit) {
        return used("fixed-window").put("periodMs", limit.period().toMillis());
    }

    @Override
    public JsonObject slidingWindow(Limit.SlidingWindow limit) {
        return taken("sliding-window", limit.period())
                .put("sliceMs", limit.period().toMillis() / limit.slices());
    }

    @Override
    public JsonObject slidingLog(Limit.SlidingLog limit) {
        return taken("sliding-log", limit.period());
    }

    @Override
    public JsonObject tokenBucket(Limit.TokenBucket limit) {
        return used("token-bucket")
                .put("level", decision.remaining())
                .put("perSecond", perSecond(limit.permits(), limit.period()));
    }

    @Override
    public JsonObject leakyBucket(Limit.LeakyBucket limit) {
        double perSecond = perSecond(limit.permits(), limit.period());
        return used("leaky-bucket")
                .put("queued", used())
                .put("perSecond", perSecond)
                .put("nextInMs", used() == 0 ? 0 : Math.round(1000 / perSecond));
    }

    @Override
    public JsonObject concurrency(Limit.Concurrency limit) {
        return used("concurrency").put("held", used());
    }

    private static double perSecond(long permits, Duration period) {
        return permits / (period.toNanos() / NANOS);
    }
}
