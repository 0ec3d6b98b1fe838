package dev.sluice.local;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Aligned windows turn by the wall clock, which may be set; everything else goes by the monotonic one. */
class WallClockTest {
    private static final ZoneId SHANGHAI = ZoneId.of("Asia/Shanghai");

    private final ManualClock time = new ManualClock();
    private long wallAheadMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse("2026-03-01T15:00:00Z"));

    private Duration heldUp = Duration.ZERO;

    private Limiter limiter(Limit... limits) {
        return new LocalLimiterBuilder(limits)
                .ticker(time)
                .scheduler(time)
                .wallClock(this::wallMicros)
                .build();
    }

    private long wallMicros() {
        time.advance(heldUp);
        heldUp = Duration.ZERO;
        return time.nanos() / 1000 + wallAheadMicros;
    }

    private void setWallClock(Duration ahead) {
        wallAheadMicros += TimeUnit.MICROSECONDS.convert(ahead);
        time.advance(ofMillis(10)); // by then a limiter has noticed
    }

    @Test
    void aDailyQuotaEndsAtMidnightInItsZone() {
        Limiter limiter = limiter(Limit.fixedWindow(1, ofDays(1)).aligned(SHANGHAI));
        assertThat(limiter.tryAcquire("k")).isTrue();
        assertThat(limiter.decide("k").retryAfter()).isEqualTo(ofHours(1));
        time.advance(ofHours(1).minusNanos(1000));
        assertThat(limiter.tryAcquire("k")).isFalse();
        time.advance(Duration.ofNanos(1000));
        assertThat(limiter.tryAcquire("k")).isTrue();
        assertThat(limiter.decide("k").retryAfter()).isEqualTo(ofHours(24));
    }

    @Test
    void aWallClockSetForwardBringsMidnightNearerAndNothingElse() {
        Limiter limiter =
                limiter(Limit.fixedWindow(1, ofDays(1)).aligned(SHANGHAI), Limit.tokenBucket(1, ofMinutes(90)));
        assertThat(limiter.tryAcquire("k")).isTrue();
        setWallClock(ofMinutes(20));
        Decision denied = limiter.decide("k");
        assertThat(denied.retryAfter())
                .as("the bucket's")
                .isEqualTo(ofMinutes(90).minusMillis(10));
        assertThat(denied.limit()).isEqualTo(1);
        Limiter quota = limiter(Limit.fixedWindow(1, ofDays(1)).aligned(SHANGHAI));
        assertThat(quota.tryAcquire("k")).isTrue();
        assertThat(quota.decide("k").retryAfter()).isEqualTo(ofMinutes(40).minusMillis(10));
        setWallClock(ofMinutes(30));
        assertThat(quota.decide("k").retryAfter()).isEqualTo(ofMinutes(10).minusMillis(20));
        setWallClock(ofMinutes(15));
        assertThat(quota.tryAcquire("k")).as("past midnight by the wall clock").isTrue();
    }

    @Test
    void aWallClockSetBackKeepsTheWindowOpen() {
        Limiter limiter = limiter(Limit.fixedWindow(2, ofHours(1)).aligned());
        time.advance(ofMinutes(10));
        assertThat(limiter.tryAcquire("k")).isTrue();
        setWallClock(ofMinutes(-30));
        assertThat(limiter.tryAcquire("k")).isTrue();
        Decision denied = limiter.decide("k");
        assertThat(denied.allowed()).as("no new window: time did not pass").isFalse();
        assertThat(denied.retryAfter()).isEqualTo(ofMinutes(80).minusMillis(10));
    }

    @Test
    void aJitterOfTheWallClockIsNotATurn() {
        Limiter limiter = limiter(Limit.fixedWindow(1, ofHours(1)).aligned());
        assertThat(limiter.tryAcquire("k")).isTrue();
        setWallClock(Duration.ofNanos(999_000));
        assertThat(limiter.decide("k").retryAfter()).isEqualTo(ofHours(1).minusMillis(10));
    }

    @Test
    void aReadingThatWasHeldUpIsNotBelieved() {
        Limiter limiter = limiter(Limit.fixedWindow(1, ofHours(1)).aligned());
        assertThat(limiter.tryAcquire("k")).isTrue();
        time.advance(ofMillis(10));
        heldUp = ofMillis(20);
        assertThat(limiter.decide("k").retryAfter()).isEqualTo(ofHours(1).minusMillis(10));
        assertThat(heldUp).as("the wall clock was read").isZero();
        assertThat(limiter.decide("k").retryAfter()).isEqualTo(ofHours(1).minusMillis(30));
    }

    @Test
    void aWallClockSetForwardWakesThoseWhoWait() {
        Limiter limiter = limiter(Limit.fixedWindow(1, ofHours(1)).aligned());
        limiter.decide("k");
        limiter.decide("other");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofHours(2));
        CompletableFuture<Decision> another = limiter.acquireAsync("other", 1, ofHours(2));
        wallAheadMicros += TimeUnit.MICROSECONDS.convert(ofMinutes(59).plusSeconds(59));
        time.advance(Duration.ofSeconds(1));
        assertThat(wait).isCompletedWithValueMatching(Decision::allowed);
        assertThat(another).isCompletedWithValueMatching(Decision::allowed);
        assertThat(time.pending()).isZero();
    }

    @Test
    void aWallClockSetBackRefusesThoseWhoseTurnIsNowTooLate() {
        Limiter limiter = limiter(Limit.fixedWindow(1, ofHours(1)).aligned());
        limiter.decide("k");
        CompletableFuture<Decision> wait = limiter.acquireAsync("k", 1, ofMinutes(61));
        wallAheadMicros -= TimeUnit.MICROSECONDS.convert(ofMinutes(30));
        time.advance(Duration.ofSeconds(1));
        assertThat(wait).isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(time.pending()).isZero();
    }

    @Test
    void theSystemsWallClockIsRead() {
        long window = TimeUnit.MINUTES.toMillis(1);
        Limiter limiter = Limiter.local(Limit.fixedWindow(1, ofMinutes(1)).aligned());
        long before = window - System.currentTimeMillis() % window;
        limiter.decide("k");
        long told = limiter.decide("k").retryAfter().toMillis();
        long after = window - System.currentTimeMillis() % window;
        if (before >= after) { // else the minute has turned meanwhile
            assertThat(told).isBetween(after - 3, before + 3);
        }
    }
}
