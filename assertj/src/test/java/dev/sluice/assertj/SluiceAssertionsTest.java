package dev.sluice.assertj;

import static dev.sluice.assertj.SluiceAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SluiceAssertionsTest {
    private final ManualClock clock = new ManualClock();
    private final Limiter limiter =
            Limiter.builder(Limit.parse("5 per 1m sliding-log")).clock(clock).build();
    private final RuleEngine engine =
            new RuleEngine(Store.builder().clock(clock).build(), RuleFile.parse("rules", """
                    rules:
                      - { name: login, key: [ip], limits: [2 per 1m] }
                      - { name: report, limits: [1 at once] }
                      - { name: free, limits: unlimited }
                    """));

    @Test
    void readsAsRequestsCome() {
        assertThat(limiter).key("ann").allows(4).hasRemaining(1).allows(1).thenDeniesFor(Duration.ofMinutes(1));
        clock.advance(Duration.ofSeconds(20));
        assertThat(limiter).key("ann").thenDeniesFor(Duration.ofSeconds(40));
        assertThat(limiter).key("bob").permits(5).allows(1).thenDenies();
        assertThat(limiter).allows(5).thenDenies();
        assertThat(engine).rule("login").key("203.0.113.9").allows(2).thenDeniesFor(Duration.ofSeconds(64));
        assertThat(engine).rule("report").key("").allows(1).thenDenies();
    }

    @Test
    void onTheClockOfTheMachineTheTimeThatPassedMayBeMissing() {
        Limiter running = Limiter.local(Limit.parse("1 per 1h sliding-log"));
        assertThat(running).allows(1).thenDeniesFor(Duration.ofHours(1));
    }

    @Test
    void aFailureSaysWhatWasExpectedAndWhatIs() {
        assertThatThrownBy(() -> assertThat(limiter).key("ann").allows(7))
                .isInstanceOf(AssertionError.class)
                .hasMessage("expected that the limiter allows 7 requests of 'ann', but number 6 is denied: until in 1m"
                        + " (limit 5, 0 left)");
        assertThatThrownBy(() -> assertThat(limiter).key("ann").thenDeniesFor(Duration.ofSeconds(59)))
                .hasMessage("expected that the limiter denies requests of 'ann' for 59s, but it does so until in 1m"
                        + " (limit 5, 0 left)");
        assertThatThrownBy(() -> assertThat(limiter).key("bob").thenDenies())
                .hasMessage(
                        "expected that the limiter denies a request of 'bob', but it is allowed, and leaves 4 of 5");
        assertThatThrownBy(() -> assertThat(limiter).key("bob").hasRemaining(5))
                .hasMessageContaining("has 5 permits left of 'bob', has 4");
        assertThatThrownBy(() -> assertThat(limiter).as("orders").key("ann").allows(1))
                .hasMessageStartingWith("[orders] ");
        assertThatThrownBy(() -> assertThat(engine).rule("logn"))
                .hasMessage("expected a rule named 'logn', there are [login, report, free]");
        assertThatThrownBy(() -> assertThat(engine).rule("free").key("x"))
                .hasMessageContaining("rule 'free' limits the key 'x', but the rule is unlimited");
    }
}
