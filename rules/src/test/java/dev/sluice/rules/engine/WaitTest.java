package dev.sluice.rules.engine;

import static dev.sluice.rules.engine.Stage.request;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ManualClock;
import dev.sluice.Store;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Requests that wait, on a clock that the test moves. */
class WaitTest {
    private final ManualClock time = new ManualClock();

    private RuleEngine engine(String rules) {
        InstantSource clock = () -> Instant.EPOCH.plusNanos(time.nanos());
        return new RuleEngine(Store.local(time), RuleFile.parse("rules.yaml", rules), clock, time, time);
    }

    private static long remaining(RuleEngine engine, String rule) {
        return Objects.requireNonNull(engine.limiter(rule)).peek("", 0).remaining();
    }

    @Test
    void oneRuleServesInTurn() {
        RuleEngine engine = engine("rules: [{ name: a, limits: [1 at once], on-exceed: wait up to 1m }]");
        Verdict held = engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        CompletableFuture<Verdict> third = engine.check(request(""));
        assertThat(second).isNotDone();
        engine.release(held).join();
        assertThat(second.join().allowed()).isTrue();
        assertThat(third).isNotDone();
        engine.release(second.join()).join();
        assertThat(third.join().allowed()).isTrue();
    }

    @Test
    void aWaitThatCannotSucceedIsRefusedAtOnce() {
        RuleEngine engine = engine("rules: [{ name: a, limits: [1 per 1h], on-exceed: wait up to 1s }]");
        assertThat(engine.check(request("")).join().allowed()).isTrue();
        CompletableFuture<Verdict> second = engine.check(request(""));
        assertThat(second).isDone();
        assertThat(second.join().allowed()).isFalse();
    }

    @Test
    void cancellingTakesNothing() {
        RuleEngine engine = engine("rules: [{ name: a, limits: [1 at once], on-exceed: wait up to 1m }]");
        Verdict held = engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        second.cancel(false);
        engine.release(held).join();
        assertThat(engine.peek(request("")).join().allowed()).isTrue();
    }

    @Test
    void severalRulesWaitTogether() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 per 200ms sliding-log], on-exceed: wait up to 1m }
                  - { name: b, limits: [1 per 300ms sliding-log], on-exceed: wait up to 1m }
                """);
        assertThat(engine.check(request("")).join().allowed()).isTrue();
        CompletableFuture<Verdict> second = engine.check(request(""));
        time.advance(ofMillis(299));
        assertThat(second).isNotDone();
        time.advance(ofMillis(1));
        assertThat(second.join().allowed()).isTrue();
    }

    @Test
    void severalRulesWaitForHeldPermitsToo() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 at once], on-exceed: wait up to 1m }
                  - { name: b, limits: [100 per 1h] }
                """);
        Verdict held = engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        assertThat(second).isNotDone();
        engine.release(held).join();
        time.advance(ofMillis(10));
        assertThat(second.join().allowed()).isTrue();
        assertThat(remaining(engine, "b")).isEqualTo(98);
    }

    @Test
    void nobodyWaitsForARuleThatRejects() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 per 1s], on-exceed: wait up to 1m }
                  - { name: b, limits: [1 per 1s] }
                """);
        engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        assertThat(second).isDone();
        assertThat(second.join().allowed()).isFalse();
    }

    @Test
    void cancellingAWaitForSeveralTakesNothing() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 at once], on-exceed: wait up to 1m }
                  - { name: b, limits: [100 per 1h] }
                """);
        Verdict held = engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        second.cancel(false);
        engine.release(held).join();
        CompletableFuture<Verdict> third = engine.check(request(""));
        assertThat(third.join().allowed()).isTrue();
        assertThat(remaining(engine, "b")).isEqualTo(98);
    }

    @Test
    void aQueueIsWaitedOutOrRefused() {
        RuleEngine engine = engine(QUEUE);
        CompletableFuture<Verdict> first = engine.check(request("", 1));
        CompletableFuture<Verdict> second = engine.check(request("", 1));
        CompletableFuture<Verdict> far = engine.check(request("", 40));
        assertThat(first.join().delayMicros()).isZero();
        time.advance(ofMillis(99));
        assertThat(second).isNotDone();
        CompletableFuture<Verdict> late = engine.check(request("", 1));
        assertThat(late.join().allowed()).isFalse();
        time.advance(ofMillis(1));
        assertThat(second.join().delayMicros()).isZero();
        time.advance(ofMillis(100));
        assertThat(far.join().allowed()).isTrue();
        assertThat(remaining(engine, "b")).isEqualTo(58);
    }

    private static final String QUEUE = """
            rules:
              - { name: a, limits: [1 per 100ms leaky-bucket capacity=50 queue], on-exceed: wait up to 250ms }
              - { name: b, limits: [100 per 1h] }
            """;

    @Test
    void aQueueThatIsTooLongTakesNothing() {
        RuleEngine engine = engine(QUEUE);
        engine.check(request("", 40)).join();
        time.advance(ofMillis(1));
        long inQueue = remaining(engine, "a");
        for (int i = 0; i < 1000; i++) {
            assertThat(engine.check(request("", 1)).join().allowed()).isFalse();
        }
        assertThat(remaining(engine, "a")).isEqualTo(inQueue);
        assertThat(remaining(engine, "b")).isEqualTo(60);
    }

    @Test
    void cancellingWhileADelayIsWaitedOutTakesNothing() {
        RuleEngine engine = engine(QUEUE);
        engine.check(request("", 1)).join();
        CompletableFuture<Verdict> second = engine.check(request("", 1));
        assertThat(remaining(engine, "b")).isEqualTo(98);
        second.cancel(false);
        assertThat(remaining(engine, "b")).isEqualTo(99);
        assertThat(time.pending()).isZero();
    }

    @Test
    void theDelayOfARuleThatDoesNotWaitIsLeftToTheCaller() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [100 per 1h], on-exceed: wait up to 250ms }
                  - { name: b, limits: [1 per 1s leaky-bucket capacity=50 queue] }
                """);
        engine.check(request("", 1)).join();
        CompletableFuture<Verdict> second = engine.check(request("", 1));
        assertThat(second).isDone();
        assertThat(second.join().delayMicros()).isEqualTo(1_000_000);
    }

    @Test
    void completingAVerdictFromOutsideEndsTheWait() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 at once], on-exceed: wait up to 1m }
                  - { name: b, limits: [100 per 1h] }
                """);
        Verdict held = engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        second.completeExceptionally(new TimeoutException("no more patience"));
        assertThat(time.pending()).isZero();
        engine.release(held).join();
        time.advance(ofSeconds(60));
        assertThat(remaining(engine, "a")).isEqualTo(1);
        assertThat(remaining(engine, "b")).isEqualTo(99);
    }

    @Test
    void everyWaitEndsByTheShortestDeadline() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 at once], on-exceed: wait up to 1m }
                  - { name: b, limits: [1 at once], on-exceed: wait up to 25ms }
                """);
        engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        time.advance(ofMillis(24));
        assertThat(second).isNotDone();
        time.advance(ofMillis(1));
        assertThat(second.join().allowed()).isFalse();
        assertThat(time.pending()).isZero();
    }

    /** Held permits are looked for every 10 ms, but no later than the shortest deadline. */
    @Test
    void aShortWaitBesideALongOneIsNotRefusedEarly() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 at once], on-exceed: wait up to 1m }
                  - { name: b, limits: [1 at once], on-exceed: wait up to 5ms }
                """);
        Verdict held = engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        assertThat(second).isNotDone();
        engine.release(held).join();
        time.advance(ofMillis(5));
        assertThat(second.join().allowed()).isTrue();
    }

    @Test
    void aChangeOfTheRulesIsSeenAtOnce() {
        String rules = """
                rules:
                  - { name: a, limits: [%d per 1h], on-exceed: wait up to 2m }
                  - { name: b, limits: [100 per 1h] }
                """;
        RuleEngine engine = engine(rules.formatted(60));
        engine.check(request("", 60)).join();
        CompletableFuture<Verdict> fits = engine.check(request("", 1));
        CompletableFuture<Verdict> fitsNoMore = engine.check(request("", 2));
        engine.apply(RuleFile.parse("rules.yaml", rules.formatted(1)));
        assertThat(fitsNoMore.join().allowed()).isFalse();
        engine.apply(RuleFile.parse("rules.yaml", rules.formatted(1000)));
        assertThat(fits.isDone()).isTrue();
        assertThat(time.pending()).isZero();
    }

    @Test
    void aResetServesWhoWaits() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 per 1m sliding-log], on-exceed: wait up to 2m }
                  - { name: b, limits: [100 per 1h] }
                """);
        engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        assertThat(second).isNotDone();
        engine.reset("a", "");
        assertThat(second.join().allowed()).isTrue();
        assertThat(remaining(engine, "b")).isEqualTo(98);
    }
}
