package dev.sluice.assertj;

import dev.sluice.Limiter;
import dev.sluice.rules.engine.RuleEngine;

/**
 * Assertions on limiters and rules. They take permits, as requests would.
 *
 * <pre>{@code
 * assertThat(limiter).key("ann").allows(5).thenDeniesFor(Duration.ofMinutes(1));
 * assertThat(engine).rule("login-per-ip").key("203.0.113.9").allows(5).thenDenies();
 * }</pre>
 */
public final class SluiceAssertions {
    private SluiceAssertions() {}

    /** Assertions on a limiter without keys; name one with {@link LimiterAssert#key}. */
    public static LimiterAssert assertThat(Limiter limiter) {
        return new LimiterAssert(limiter, "", "the limiter");
    }

    /** Assertions on the rules of an engine. */
    public static RuleEngineAssert assertThat(RuleEngine engine) {
        return new RuleEngineAssert(engine);
    }
}
