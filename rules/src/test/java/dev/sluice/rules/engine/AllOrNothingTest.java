package dev.sluice.rules.engine;

import static dev.sluice.rules.engine.Stage.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.file.RuleFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 13 for rules: charged together or not at all, and a denied request leaves no trace. */
class AllOrNothingTest {
    private static final String RULES = """
            rules:
              - { name: open, limits: [100 per 100s token-bucket]%s }
              - { name: shut, limits: [1 per 1d fixed-window]%s }
            """;

    /** Time passes between any two steps of a check. */
    @ParameterizedTest
    @ValueSource(strings = {"", ", on-exceed: wait up to 1s", ", shed-from: 80%"})
    void aThousandDeniedRequestsCostTheOtherRuleNothing(String option) {
        AtomicLong nanos = new AtomicLong();
        RuleEngine engine = new RuleEngine(
                Store.local(() -> nanos.addAndGet(1_000_000)),
                RuleFile.parse("rules.yaml", RULES.formatted(option, option)));
        Limiter open = limiter(engine, "open");
        limiter(engine, "shut").decide("", 1);
        open.decide("", 50);
        long fullAtMicros = nanos.get() / 1000 + open.peek("", 0).resetAfterMicros() + 1000;
        for (int i = 0; i < 1000; i++) {
            assertThat(engine.check(request("")).join().allowed()).isFalse();
        }
        long resetAfterMicros = open.peek("", 0).resetAfterMicros();
        assertThat(nanos.get() / 1000 + resetAfterMicros).isEqualTo(fullAtMicros);
    }

    @Test
    @Timeout(60)
    void deniedRequestsInFlightAreNotSeen() {
        RuleEngine engine = new RuleEngine(Store.local(() -> 0), RuleFile.parse("rules.yaml", RULES.formatted("", "")));
        limiter(engine, "shut").decide("", 1);
        AtomicInteger working = new AtomicInteger(4);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(CompletableFuture.runAsync(() -> {
                for (int call = 0; call < 2500; call++) {
                    assertThat(engine.check(request("")).join().allowed()).isFalse();
                }
                working.decrementAndGet();
            }));
        }
        while (working.get() > 0 && all.stream().noneMatch(CompletableFuture::isCompletedExceptionally)) {
            assertThat(limiter(engine, "open").peek("", 0).remaining()).isEqualTo(100);
        }
        all.forEach(CompletableFuture::join);
    }

    /** Rules that degrade are charged last. If that fails, what was charged before is given back. */
    @Test
    void aChargeThatThrowsHasTakenNothing() {
        String rules = """
                rules:
                  - { name: shadow, limits: [10 per 1d], on-exceed: shadow }
                  - { name: a, limits: [10 per 1d] }
                  - { name: b, limits: [10 per 1d] }
                  - { name: broken, limits: [10 per 1d], on-exceed: degrade }
                """;
        RuleEngine engine = new RuleEngine(new BreakingStore(), RuleFile.parse("rules.yaml", rules));
        assertThatThrownBy(() -> engine.check(request("")).join())
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage("a clock that fails");
        for (String rule : List.of("shadow", "a", "b")) {
            assertThat(limiter(engine, rule).peek("", 0).remaining()).as(rule).isEqualTo(10);
        }
    }

    private static Limiter limiter(RuleEngine engine, String rule) {
        return Objects.requireNonNull(engine.limiter(rule));
    }

    /** A store whose limiter named "broken" throws. */
    private static final class BreakingStore implements Store {
        private final Store store = Store.local(() -> 0);

        @Override
        public Limiter limiter(String name, Limit... limits) {
            return name.equals("broken")
                    ? Limiter.local(
                            () -> {
                                throw new IllegalStateException("a clock that fails");
                            },
                            limits)
                    : store.limiter(name, limits);
        }

        @Override
        public Limiter limiter(String name, OnFailure onFailure, Limit... limits) {
            return limiter(name, limits);
        }

        @Override
        public CompletableFuture<List<Decision>> decideAll(List<Charge> charges) {
            return store.decideAll(charges);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
