package dev.sluice.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The rules that Sluice starts with. */
class ExampleTest {
    private final RuleEngine engine = new RuleEngine(Store.local(() -> 0), RuleFile.example());

    @Test
    void theSixthLoginOfAnAddressInAMinuteIsDenied() {
        Request login = Request.of(Map.of("ip", "203.0.113.9", "path", "/login", "method", "POST"), 1);
        for (int i = 0; i < 5; i++) {
            assertThat(engine.check(login).join().allowed()).isTrue();
        }
        Verdict sixth = engine.check(login).join();
        assertThat(sixth.allowed()).isFalse();
        assertThat(sixth.decisions()).hasSize(2);
        RuleDecision decisive = Objects.requireNonNull(sixth.decisive());
        assertThat(decisive.rule().name()).isEqualTo("login-per-ip");
        assertThat(decisive.decision().retryAfter()).isEqualTo(Duration.ofMinutes(1));
        Request other = Request.of(Map.of("ip", "203.0.113.10", "path", "/login", "method", "POST"), 1);
        assertThat(engine.check(other).join().allowed()).isTrue();
    }

    @Test
    void theOwnNetworkIsUnlimited() {
        Request own = Request.of(Map.of("ip", "127.0.0.1", "path", "/"), 1);
        assertThat(engine.check(own).join()).isEqualTo(Verdict.FREE);
    }
}
