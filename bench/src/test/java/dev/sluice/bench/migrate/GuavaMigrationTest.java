package dev.sluice.bench.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.GuavaOnManualClock;
import com.google.common.util.concurrent.RateLimiter;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Pacer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/migrate/guava.md. */
class GuavaMigrationTest {
    /** After so many calls the trace leaves both idle. */
    private static final int BUSY_CALLS = 20;

    /** Guava cuts off up to a microsecond with each call, which adds up until it is idle again. */
    private static final Duration ROUNDING = Duration.ofNanos(1000L * BUSY_CALLS);

    @Test
    @SuppressWarnings("unused")
    void before() {
        RateLimiter limiter = RateLimiter.create(500);
        double waitedSeconds = limiter.acquire();
        boolean now = limiter.tryAcquire();
        boolean soon = limiter.tryAcquire(2, Duration.ofMillis(200));
        limiter.setRate(1000);
        assertThat(soon).isTrue();
    }

    @Test
    @SuppressWarnings("unused")
    void after() {
        Pacer pacer = Pacer.perSecond(500);
        Duration waited = pacer.acquire();
        boolean now = pacer.tryAcquire();
        boolean soon = pacer.tryAcquire(2, Duration.ofMillis(200));
        pacer.change(1000, Duration.ofSeconds(1));
        assertThat(soon).isTrue();
    }

    @Test
    void afterWithKeys() {
        Limiter limiter = Limiter.local(Limit.tokenBucket(5, Duration.ofSeconds(1)));
        if (!limiter.tryAcquire("user:17")) {
            throw new IllegalStateException("try again later");
        }
        assertThat(limiter.peek("user:17").remaining()).isLessThan(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 8, 10, 20})
    void waitsAreTheSame(int permitsPerSecond) {
        ManualClock theirs = new ManualClock();
        ManualClock ours = new ManualClock();
        compare(
                GuavaOnManualClock.bursty(permitsPerSecond, theirs),
                theirs,
                Pacer.perSecond(permitsPerSecond).on(ours),
                ours,
                permitsPerSecond);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 8, 10})
    void waitsWhileWarmingUpAreTheSame(int permitsPerSecond) {
        Duration warmUp = Duration.ofSeconds(4);
        ManualClock theirs = new ManualClock();
        ManualClock ours = new ManualClock();
        compare(
                GuavaOnManualClock.warmingUp(permitsPerSecond, warmUp, theirs),
                theirs,
                Pacer.perSecond(permitsPerSecond).warmUp(warmUp).on(ours),
                ours,
                permitsPerSecond);
    }

    /** Two thousand calls at random times: some wait as long as they must, some only a while, some not at all. */
    private static void compare(RateLimiter guava, ManualClock theirs, Pacer pacer, ManualClock ours, int rate) {
        Random random = new Random(rate);
        for (int call = 0; call < 2000; call++) {
            long usual = Math.max(0, (long) (random.nextGaussian() * 2_000_000 / rate));
            long idle = call % BUSY_CALLS == 0 ? 20_000_000 : usual;
            theirs.advance(micros(idle));
            ours.advance(micros(idle));
            int permits = 1 + random.nextInt(3);
            if (random.nextBoolean()) {
                Duration waited = micros(Math.round(guava.acquire(permits) * 1e6));
                assertThat(pacer.acquire(permits)).as("call %s", call).isBetween(less(waited), waited.plus(ROUNDING));
            } else {
                Duration maxWait = micros(random.nextInt(1_000_000) / rate);
                boolean allowed = guava.tryAcquire(permits, maxWait);
                assertThat(pacer.tryAcquire(permits, maxWait))
                        .as("call %s", call)
                        .isEqualTo(allowed);
            }
            keepTogether(theirs, ours);
        }
    }

    /** Takes away what the rounding of one call has left between the clocks, so that it does not add up. */
    private static void keepTogether(ManualClock theirs, ManualClock ours) {
        Duration apart = Duration.ofNanos(ours.nanos() - theirs.nanos());
        assertThat(apart.abs()).isLessThanOrEqualTo(ROUNDING);
        if (apart.isNegative()) {
            ours.advance(apart.negated());
        } else {
            theirs.advance(apart);
        }
    }

    /** The page: another rate while somebody is owed, and while permits are saved. */
    @Test
    void afterAnotherRateWhatIsOwedAndSavedIsKeptInPermits() {
        ManualClock clock = new ManualClock();
        RateLimiter guava = GuavaOnManualClock.bursty(1, clock);
        Pacer pacer = Pacer.perSecond(1).on(clock);
        guava.acquire(10);
        pacer.acquire(10);
        guava.setRate(10);
        pacer.change(10, Duration.ofSeconds(1));
        assertThat(pacer.reserve(1)).as("ten at the new rate").isEqualTo(Duration.ofSeconds(1));
        assertThat(guava.tryAcquire(Duration.ofSeconds(9)))
                .as("ten at the old one")
                .isFalse();

        clock.advance(Duration.ofMinutes(1));
        guava.setRate(100);
        pacer.change(100, Duration.ofSeconds(1));
        assertThat(guava.acquire(100)).isZero();
        assertThat(guava.tryAcquire())
                .as("the ten that were saved became a hundred")
                .isTrue();
        assertThat(pacer.acquire(100)).isZero();
        assertThat(pacer.tryAcquire()).as("ten were saved").isFalse();
    }

    /** The page: a bucket does not lend, and has a whole burst at its start. */
    @Test
    void aTokenBucketStartsFullAndDoesNotLend() {
        ManualClock clock = new ManualClock();
        RateLimiter guava = GuavaOnManualClock.bursty(2, clock);
        Limiter bucket = Limiter.local(clock, Limit.tokenBucket(2, Duration.ofSeconds(1)));
        assertThat(ask(4, guava::tryAcquire)).containsExactly(true, false, false, false);
        assertThat(ask(4, bucket::tryAcquire)).containsExactly(true, true, false, false);
        clock.advance(Duration.ofSeconds(10));
        assertThat(ask(4, guava::tryAcquire)).containsExactly(true, true, true, false);
        assertThat(ask(4, bucket::tryAcquire)).containsExactly(true, true, false, false);
        clock.advance(Duration.ofSeconds(10));
        assertThat(guava.tryAcquire(100)).as("later callers pay").isTrue();
        assertThat(bucket.tryAcquire(100)).as("more than it can ever hold").isFalse();
    }

    private static List<Boolean> ask(int times, BooleanSupplier limiter) {
        List<Boolean> answers = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            answers.add(limiter.getAsBoolean());
        }
        return answers;
    }

    private static Duration less(Duration waited) {
        Duration less = waited.minus(ROUNDING);
        return less.isNegative() ? Duration.ZERO : less;
    }

    private static Duration micros(long micros) {
        return Duration.ofNanos(micros * 1000);
    }
}
