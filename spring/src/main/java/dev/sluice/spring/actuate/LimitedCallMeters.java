package dev.sluice.spring.actuate;

import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.LimitedCallListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The figures of what is limited itself: how long methods, requests and routes under a rule run, how many of them fail, and
 * how many run at once. After the first thousand rules, the others are counted together as {@code other}.
 */
final class LimitedCallMeters implements LimitedCallListener {
    private static final int MAX_RULES = 1000;
    private static final String OTHER = "other";

    private final MeterRegistry registry;
    private final Map<Limited, Meters> meters = new ConcurrentHashMap<>();

    private record Limited(Kind kind, String rule) {}

    private record Meters(AtomicInteger active, Timer success, Timer error) {
        void ended(Result result, long nanos) {
            active.decrementAndGet();
            if (result != Result.NOT_RUN) {
                (result == Result.ERROR ? error : success).record(nanos, TimeUnit.NANOSECONDS);
            }
        }
    }

    LimitedCallMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Ending began(Kind kind, Verdict verdict) {
        List<RuleDecision> decisions = verdict.decisions();
        List<Meters> begun = new ArrayList<>(decisions.size());
        for (RuleDecision decision : decisions) {
            Meters of = of(kind, decision.rule().name());
            of.active.incrementAndGet();
            begun.add(of);
        }
        long start = registry.config().clock().monotonicTime();
        return result -> {
            long nanos = registry.config().clock().monotonicTime() - start;
            begun.forEach(each -> each.ended(result, nanos));
        };
    }

    private Meters of(Kind kind, String rule) {
        Meters known = meters.get(new Limited(kind, rule));
        if (known != null) {
            return known;
        }
        String name = meters.size() < MAX_RULES ? rule : OTHER;
        return meters.computeIfAbsent(new Limited(kind, name), this::register);
    }

    private Meters register(Limited limited) {
        String kind = limited.kind.name().toLowerCase(Locale.ROOT);
        AtomicInteger active = new AtomicInteger();
        Gauge.builder("sluice.limited.active", active, AtomicInteger::get)
                .description("Methods, requests and routes under a rule that run now.")
                .tag("kind", kind)
                .tag("rule", limited.rule)
                .strongReference(true)
                .register(registry);
        return new Meters(active, timer(kind, limited.rule, "success"), timer(kind, limited.rule, "error"));
    }

    private Timer timer(String kind, String rule, String result) {
        return Timer.builder("sluice.limited.calls")
                .description("How long methods, requests and routes under a rule ran.")
                .tag("kind", kind)
                .tag("rule", rule)
                .tag("result", result)
                .register(registry);
    }
}
