package dev.sluice.rules.engine;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.ManualClock;
import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Holds with a lease and a token, of a rule, its overrides and the overrides of single keys. */
class LeasesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final ManualClock time = new ManualClock();
    private final RuleEngine engine = new RuleEngine(
            Store.builder().clock(time).build(),
            RuleFile.parse("rules.yaml", """
                    rules:
                      - name: jobs
                        key: [user]
                        limits: [2 at once]
                        lease: 30s
                        overrides: [{ user: vip, limits: 5 at once }]
                      - { name: rate, key: [user], limits: [100 per 1h] }
                      - { name: watched, key: [user], limits: [1 at once], on-exceed: shadow }
                    """),
            InstantSource.fixed(NOW),
            time,
            time);

    private Verdict check(String user) {
        return engine.check(Request.of(Map.of("user", user), 1)).join();
    }

    private String token(Verdict verdict) {
        return engine.leases().grant(verdict, null).join().orElseThrow();
    }

    private long free(String user) {
        return engine.peek(Request.of(Map.of("user", user), 0))
                .join()
                .decisions()
                .get(0)
                .decision()
                .remaining();
    }

    private boolean release(String token) {
        return engine.leases().release(token).join();
    }

    @Test
    void aTokenReleasesAllHoldsOfItsRequest() {
        String token = token(check("a|b\u2028/ü"));
        assertThat(free("a|b\u2028/ü")).isEqualTo(1);
        assertThat(release(token)).isTrue();
        assertThat(release(token)).isFalse();
        assertThat(free("a|b\u2028/ü")).isEqualTo(2);
        assertThat(engine.inspect("watched", "a\\|b\u2028/ü").join().decision().remaining())
                .as("shadow rules hold too")
                .isEqualTo(1);
        assertThat(engine.inspect("rate", "a\\|b\u2028/ü").join().decision().remaining())
                .as("rates stay taken")
                .isEqualTo(99);
    }

    @Test
    void aHoldEndsWithTheLeaseOfItsRule() {
        token(check("ada"));
        engine.leases().grant(check("ada"), ofMinutes(10)).join();
        time.advance(ofSeconds(29));
        assertThat(free("ada")).isZero();
        time.advance(ofSeconds(1));
        assertThat(free("ada")).isEqualTo(2);
    }

    @Test
    void overridesAreFoundByTheirNames() {
        String vip = token(check("vip"));
        assertThat(free("vip")).isEqualTo(4);
        assertThat(release(vip)).isTrue();
        assertThat(free("vip")).isEqualTo(5);

        engine.override("jobs", "eve", List.of(Limit.concurrency(9)), NOW.plusSeconds(60));
        String eve = token(check("eve"));
        assertThat(free("eve")).isEqualTo(8);
        assertThat(release(eve)).isTrue();
        assertThat(free("eve")).isEqualTo(9);
    }

    /** Also one that no encoding has, and one that no URL has room for. */
    @Test
    void aTokenReleasesTheHoldOfAnyKey() {
        for (String user : List.of("half \ud83d of a pair", "\udc00", "\u0000", "\u20ac".repeat(100_000))) {
            String token = token(check(user));
            assertThat(token).as("fits the line of a request").hasSizeLessThan(8000);
            assertThat(free(user)).isEqualTo(1);
            assertThat(release(token)).isTrue();
            assertThat(free(user)).isEqualTo(2);
        }
    }

    @Test
    void whatIsDeniedHoldsNothing() {
        check("bob");
        check("bob");
        Verdict denied = check("bob");
        assertThat(denied.allowed()).isFalse();
        assertThat(token(denied)).isEmpty();
    }

    @Test
    void aRuleThatIsGoneHasNoHolds() {
        String token = token(check("ada"));
        engine.apply(RuleFile.parse("rules.yaml", "rules: []"));
        assertThat(release(token)).isFalse();
        assertThat(release("no token")).isFalse();
    }
}
