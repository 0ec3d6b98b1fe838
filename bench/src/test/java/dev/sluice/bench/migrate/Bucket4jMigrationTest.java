package dev.sluice.bench.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/migrate/bucket4j.md. */
class Bucket4jMigrationTest {
    private final ManualClock clock = new ManualClock();

    private record Clocked(ManualClock clock) implements TimeMeter {
        @Override
        public long currentTimeNanos() {
            return clock.nanos();
        }

        @Override
        public boolean isWallClockBased() {
            return false;
        }
    }

    @Test
    void before() {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(20).refillGreedy(10, Duration.ofSeconds(1)))
                .build();
        ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
        String answer = probe.isConsumed()
                ? "ok, " + probe.getRemainingTokens() + " left"
                : "wait " + Duration.ofNanos(probe.getNanosToWaitForRefill());
        assertThat(answer).isEqualTo("ok, 19 left");
    }

    @Test
    void after() {
        Limiter limiter =
                Limiter.local(Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20));
        Decision decision = limiter.decide();
        String answer = decision.allowed() ? "ok, " + decision.remaining() + " left" : "wait " + decision.retryAfter();
        assertThat(answer).isEqualTo("ok, 19 left");
    }

    private Bucket bucket(Bandwidth... limits) {
        var builder = Bucket.builder();
        for (Bandwidth limit : limits) {
            builder.addLimit(limit);
        }
        return builder.withCustomTimePrecision(new Clocked(clock)).build();
    }

    private static Bandwidth greedy(long capacity, long tokens, Duration period) {
        return Bandwidth.builder()
                .capacity(capacity)
                .refillGreedy(tokens, period)
                .build();
    }

    private static Bandwidth intervally(long tokens, Duration period) {
        return Bandwidth.builder()
                .capacity(tokens)
                .refillIntervally(tokens, period)
                .build();
    }

    @ParameterizedTest
    @CsvSource({"10, 10, 1000", "20, 10, 1000", "1, 1, 100", "7, 3, 700", "1000, 60, 60000"})
    void greedyIsATokenBucket(long capacity, long tokens, long periodMillis) {
        Duration period = Duration.ofMillis(periodMillis);
        Bucket bucket = bucket(greedy(capacity, tokens, period));
        Limiter limiter = Limiter.local(clock, Limit.tokenBucket(tokens, period).burst(capacity));
        compare(bucket, limiter, capacity, periodMillis / tokens);
    }

    @Test
    void severalLimitsAreSeveralLimits() {
        Bucket bucket = bucket(greedy(10, 10, Duration.ofSeconds(1)), greedy(50, 50, Duration.ofMinutes(1)));
        Limiter limiter = Limiter.local(
                clock, Limit.tokenBucket(10, Duration.ofSeconds(1)), Limit.tokenBucket(50, Duration.ofMinutes(1)));
        compare(bucket, limiter, 10, 300);
    }

    @Test
    void intervallyIsAWindowThatStartsWithTheBucket() {
        Bucket bucket = bucket(intervally(10, Duration.ofSeconds(1)));
        Limiter limiter = Limiter.local(
                clock, Limit.fixedWindow(10, Duration.ofSeconds(1)).aligned());
        compare(bucket, limiter, 10, 50);
    }

    /** Five thousand requests, each with a verdict, what remains, and how long to wait. */
    private void compare(Bucket bucket, Limiter limiter, long capacity, long gapMillis) {
        Random random = new Random(capacity);
        int denied = 0;
        for (int request = 0; request < 5000; request++) {
            clock.advance(Duration.ofMillis(random.nextInt((int) (2 * gapMillis) + 1)));
            long cost = 1L + random.nextInt((int) Math.min(3, capacity));
            ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(cost);
            Decision decision = limiter.decide("", cost);
            assertThat(decision.allowed()).as("request %s", request).isEqualTo(probe.isConsumed());
            assertThat(decision.remaining()).as("request %s", request).isEqualTo(probe.getRemainingTokens());
            assertThat(decision.retryAfterMicros())
                    .as("request %s", request)
                    .isEqualTo((probe.getNanosToWaitForRefill() + 999) / 1000);
            denied += probe.isConsumed() ? 0 : 1;
        }
        assertThat(denied).isBetween(500, 4500);
    }

    /** The page: a window by default starts with the first request, not with the bucket. */
    @Test
    void aWindowThatIsNotAlignedStartsWithTheFirstRequest() {
        Bucket bucket = bucket(intervally(2, Duration.ofSeconds(10)));
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(2, Duration.ofSeconds(10)));
        clock.advance(Duration.ofSeconds(9));
        assertThat(bucket.tryConsume(2)).isTrue();
        assertThat(limiter.tryAcquire(2)).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(bucket.tryConsume(2)).as("four within a second").isTrue();
        assertThat(limiter.decide(2).retryAfter()).isEqualTo(Duration.ofSeconds(9));
    }

    /** The page: more than the capacity. */
    @Test
    void moreThanTheCapacityIsNever() {
        Bucket bucket = bucket(greedy(10, 10, Duration.ofSeconds(1)));
        Limiter limiter = Limiter.local(clock, Limit.tokenBucket(10, Duration.ofSeconds(1)));
        assertThat(bucket.tryConsumeAndReturnRemaining(11).getNanosToWaitForRefill())
                .isEqualTo(Long.MAX_VALUE);
        assertThat(limiter.decide(11).never()).isTrue();
    }
}
