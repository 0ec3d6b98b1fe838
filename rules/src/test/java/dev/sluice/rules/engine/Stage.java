package dev.sluice.rules.engine;

import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** An engine on a clock that tests move. */
final class Stage {
    private long nanos;
    final RuleEngine engine;

    Stage(String rules) {
        InstantSource clock = () -> Instant.EPOCH.plusNanos(nanos);
        this.engine = new RuleEngine(Store.local(() -> nanos), RuleFile.parse("rules.yaml", rules), clock);
    }

    void pass(Duration time) {
        nanos += time.toNanos();
    }

    Instant now() {
        return Instant.EPOCH.plusNanos(nanos);
    }

    void apply(String rules) {
        engine.apply(RuleFile.parse("rules.yaml", rules));
    }

    /** A request for one permit with attributes written as {@code user=a path=/x}. */
    static Request request(String attributes) {
        return request(attributes, 1);
    }

    static Request request(String attributes, long cost) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String each : attributes.split(" ", -1)) {
            int equals = each.indexOf('=');
            if (equals > 0) {
                map.put(each.substring(0, equals), each.substring(equals + 1));
            }
        }
        return Request.of(map, cost);
    }

    Verdict check(String attributes) {
        return check(attributes, 1);
    }

    Verdict check(String attributes, long cost) {
        return engine.check(request(attributes, cost)).join();
    }

    /** How many of {@code tries} requests are allowed. */
    int allowed(int tries, String attributes) {
        int allowed = 0;
        for (int i = 0; i < tries; i++) {
            allowed += check(attributes).allowed() ? 1 : 0;
        }
        return allowed;
    }
}
