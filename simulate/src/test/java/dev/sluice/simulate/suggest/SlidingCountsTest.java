package dev.sluice.simulate.suggest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.simulate.suggest.traffic.Events;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The counts agree with the real limiters, which are asked the same at the same times. */
class SlidingCountsTest {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final long MICROS = 10_000_000;

    @Test
    void aRequestLeavesTheWindowExactlyAfterIt() {
        assertThat(SlidingCounts.most(events(0, 9_999_999), MICROS)).isEqualTo(2);
        assertThat(SlidingCounts.most(events(0, 10_000_000), MICROS)).isEqualTo(1);
        assertThat(SlidingCounts.most(events(), MICROS)).isZero();
        assertThat(SlidingCounts.denied(events(0, 0, 0, 9_999_999, 10_000_000), MICROS, 2))
                .isEqualTo(2);
    }

    @Test
    void aBucketNeedsWhatComesAtOnceAndWhatItDoesNotRefillMeanwhile() {
        assertThat(SlidingCounts.burst(events(0, 0, 0), MICROS, 10)).isEqualTo(3);
        assertThat(SlidingCounts.burst(events(0, 1_000_000, 2_000_000), MICROS, 10))
                .isEqualTo(1);
        assertThat(SlidingCounts.burst(events(0, 500_000, 1_000_000), MICROS, 10))
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void limitersDoTheSame(long seed) {
        Events events = random(seed);
        int most = SlidingCounts.most(events, MICROS);
        assertThat(denied(Limit.slidingLog(most, WINDOW), events)).isZero();
        for (int permits = 1; permits < most; permits++) {
            assertThat(SlidingCounts.denied(events, MICROS, permits))
                    .isEqualTo(denied(Limit.slidingLog(permits, WINDOW), events))
                    .isPositive();
        }
        for (int permits = 1; permits <= most; permits++) {
            long burst = SlidingCounts.burst(events, MICROS, permits);
            assertThat(denied(Limit.tokenBucket(permits, WINDOW).burst(burst), events))
                    .isZero();
            if (burst > 1) {
                assertThat(denied(Limit.tokenBucket(permits, WINDOW).burst(burst - 1), events))
                        .isPositive();
            }
        }
    }

    private static int denied(Limit limit, Events events) {
        ManualClock clock = new ManualClock();
        Limiter limiter = Limiter.builder(limit).clock(clock).build();
        long now = 0;
        int denied = 0;
        for (int i = 0; i < events.count(); i++) {
            clock.advance(Duration.of(events.time(i) - now, ChronoUnit.MICROS));
            now = events.time(i);
            denied += limiter.tryAcquire("k") ? 0 : 1;
        }
        return denied;
    }

    private static Events random(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] times = new long[60];
        long micros = 0;
        for (int i = 0; i < times.length; i++) {
            micros += random.nextInt(3) == 0 ? random.nextInt(6) * 1_000_000L : random.nextInt(200_000);
            times[i] = micros;
        }
        return events(times);
    }

    private static Events events(long... times) {
        Events events = new Events();
        events.reset();
        for (long time : times) {
            events.add(time, 0);
        }
        return events;
    }
}
