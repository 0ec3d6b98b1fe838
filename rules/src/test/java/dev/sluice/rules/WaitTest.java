package dev.sluice.rules;

import static dev.sluice.rules.Stage.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Store;
import dev.sluice.rules.file.RuleFile;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests that wait, on the real clock. */
class WaitTest {
    private static RuleEngine engine(String rules) {
        return new RuleEngine(Store.local(), RuleFile.parse("rules.yaml", rules));
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
        long start = System.nanoTime();
        assertThat(engine.check(request("")).join().allowed()).isTrue();
        CompletableFuture<Verdict> second = engine.check(request(""));
        assertThat(second.join().allowed()).isTrue();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(300_000_000);
    }

    @Test
    void severalRulesWaitForHeldPermitsToo() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 at once], on-exceed: wait up to 1m }
                  - { name: b, limits: [100 per 1m] }
                """);
        Verdict held = engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        assertThat(second).isNotDone();
        engine.release(held).join();
        assertThat(second.join().allowed()).isTrue();
        assertThat(Objects.requireNonNull(engine.limiter("b")).peek("", 0).remaining())
                .isEqualTo(98);
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
                  - { name: b, limits: [100 per 1m] }
                """);
        Verdict held = engine.check(request("")).join();
        CompletableFuture<Verdict> second = engine.check(request(""));
        second.cancel(false);
        engine.release(held).join();
        CompletableFuture<Verdict> third = engine.check(request(""));
        assertThat(third.join().allowed()).isTrue();
        assertThat(Objects.requireNonNull(engine.limiter("b")).peek("", 0).remaining())
                .isEqualTo(98);
    }

    @Test
    void aQueueIsWaitedOutOrRefused() {
        RuleEngine engine = engine("""
                rules:
                  - { name: a, limits: [1 per 100ms leaky-bucket capacity=50 queue], on-exceed: wait up to 250ms }
                  - { name: b, limits: [100 per 1m] }
                """);
        long start = System.nanoTime();
        CompletableFuture<Verdict> first = engine.check(request("", 1));
        CompletableFuture<Verdict> second = engine.check(request("", 1));
        CompletableFuture<Verdict> far = engine.check(request("", 40));
        assertThat(first.join().delayMicros()).isZero();
        assertThat(second.join().delayMicros()).isZero();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(100_000_000);
        assertThat(far.join().allowed()).isTrue();
        CompletableFuture<Verdict> late = engine.check(request("", 1));
        assertThat(late.join().allowed()).isFalse();
        assertThat(Objects.requireNonNull(engine.limiter("b")).peek("", 0).remaining())
                .isEqualTo(58);
    }
}
