package dev.sluice.edges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A limit that cannot be kept is refused when it is built, and the message names the value. */
class BadLimitsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long TWO_53 = 1L << 53;

    private static final List<LongFunction<Limit>> OF_PERMITS = List.of(
            n -> Limit.fixedWindow(n, SECOND),
            n -> Limit.fixedWindow(n, ChronoUnit.DAYS, ZoneId.of("UTC")),
            n -> Limit.slidingWindow(n, SECOND),
            n -> Limit.slidingWindow(n, SECOND, 5),
            n -> Limit.slidingLog(n, SECOND),
            n -> Limit.tokenBucket(n, SECOND),
            n -> Limit.tokenBucket(1, SECOND).burst(n),
            n -> Limit.leakyBucket(n, SECOND),
            n -> Limit.leakyBucket(1, SECOND).capacity(n),
            Limit::concurrency);

    private static final List<Function<Duration, Limit>> OF_PERIOD = List.of(
            period -> Limit.fixedWindow(3, period),
            period -> Limit.slidingWindow(3, period),
            period -> Limit.slidingWindow(3, period, 1),
            period -> Limit.slidingLog(3, period),
            period -> Limit.tokenBucket(3, period),
            period -> Limit.leakyBucket(3, period));

    @ParameterizedTest
    @ValueSource(longs = {0, -1, -7, Long.MIN_VALUE, TWO_53 + 1, Long.MAX_VALUE})
    void permits(long permits) {
        for (LongFunction<Limit> limit : OF_PERMITS) {
            refused(() -> limit.apply(permits), Long.toString(permits));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"PT0S", "PT-1S", "PT-0.000001S", "PT0.000000999S", "PT0.0000015S", "PT1.000000001S", "P3654D"})
    void periods(String period) {
        for (Function<Duration, Limit> limit : OF_PERIOD) {
            refused(
                    () -> limit.apply(Duration.parse(period)),
                    Duration.parse(period).toString());
        }
    }

    @Test
    void absurdPeriods() {
        for (Function<Duration, Limit> limit : OF_PERIOD) {
            for (long seconds : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE / 1_000_000}) {
                Duration absurd = Duration.ofSeconds(seconds);
                refused(() -> limit.apply(absurd), absurd.toString());
            }
        }
    }

    @Test
    void theLongestAndShortestPeriodsAreFine() {
        assertThat(Limit.fixedWindow(1, Limit.MAX_PERIOD).period()).isEqualTo(Limit.MAX_PERIOD);
        assertThat(Limit.fixedWindow(TWO_53, Duration.ofNanos(1000)).permits()).isEqualTo(TWO_53);
    }

    @Test
    void ratesThatCannotBeExact() {
        refused(() -> Limit.tokenBucket(1, Duration.ofDays(1)).burst(1_000_000), "1000000", "86400000000", "2^53");
        refused(() -> Limit.leakyBucket(1, Duration.ofDays(1)).capacity(1_000_000), "1000000", "86400000000", "2^53");
        refused(() -> Limit.tokenBucket(TWO_53 - 1, SECOND), Long.toString(TWO_53 - 1), "2^53");
        refused(() -> Limit.tokenBucket(123_457, Duration.ofDays(1)), "123457", "2^53", ": 123456 work");
        refused(() -> Limit.leakyBucket(10_000_019, Duration.ofHours(1)), "10000019", "2^53", ": 10000020 work");
        refused(() -> Limit.tokenBucket(999_999_999_989L, Duration.ofDays(1)), "999999999989", "86400000000");
    }

    @Test
    void ratesOfTheSameSizeThatCanBeExact() {
        assertThat(Limit.tokenBucket(1_000_000, SECOND).burst(TWO_53).capacity())
                .as("one permit per microsecond")
                .isEqualTo(TWO_53);
        assertThat(Limit.tokenBucket(86_400, Duration.ofDays(1))
                        .burst(1_000_000_000)
                        .capacity())
                .as("one permit per second")
                .isEqualTo(1_000_000_000);
    }

    @Test
    void slices() {
        refused(() -> Limit.slidingWindow(1, SECOND, 0), "slices", "0");
        refused(() -> Limit.slidingWindow(1, SECOND, -4), "slices", "-4");
        refused(() -> Limit.slidingWindow(1, SECOND, 3601), "slices", "3601");
        refused(() -> Limit.slidingWindow(1, SECOND, 7), "1000000", "7", "8");
        refused(() -> Limit.slidingWindow(1, Duration.ofNanos(7000), 10), "7", "10");
        refused(() -> Limit.slidingWindow(1, Duration.ofNanos(3000), 4), "3", "4");
    }

    @Test
    void weightsThatCannotBeExact() {
        refused(() -> Limit.slidingWindow(TWO_53 / 4, SECOND, 1).weighted(), Long.toString(TWO_53 / 4), "1000000");
        assertThat(Limit.slidingWindow(TWO_53 / 4, Duration.ofNanos(1000), 1)
                        .weighted()
                        .permits())
                .isEqualTo(TWO_53 / 4);
    }

    @Test
    void logsThatNeedTooMuchMemory() {
        refused(() -> Limit.slidingLog((1L << 24) + 1, SECOND), "16777217", "sliding window");
    }

    @Test
    void alignments() {
        refused(() -> Limit.fixedWindow(1, ChronoUnit.SECONDS, ZoneId.of("UTC")), "Seconds");
        refused(() -> Limit.fixedWindow(1, ChronoUnit.CENTURIES, ZoneId.of("UTC")), "Centuries");
        refused(() -> Limit.fixedWindow(1, Duration.ofMinutes(5)).aligned(ZoneId.of("UTC")), "PT5M");
        refused(() -> Limit.fixedWindow(1, Duration.ofDays(30)).aligned(ZoneId.of("UTC")), "PT720H", "MONTHS");
        assertThat(Limit.fixedWindow(1, Duration.ofDays(7))
                        .aligned(ZoneId.of("UTC"))
                        .alignment())
                .isEqualTo(new Limit.Alignment.Calendar(ChronoUnit.WEEKS, ZoneId.of("UTC")));
    }

    @Test
    void limiters() {
        Limiter limiter = Limiter.local(Limit.concurrency(1));
        assertThatIllegalArgumentException().isThrownBy(Limiter::local);
        assertThatIllegalArgumentException().isThrownBy(limiter::change);
        refused(() -> limiter.withShare(-1), "-1");
        refused(() -> limiter.withShare(0), "0");
        refused(() -> limiter.withShare(101), "101");
        refused(() -> Limiter.builder(Limit.concurrency(1)).maxBytes(0).build(), "0");
        refused(() -> Limiter.builder(Limit.concurrency(1)).shedFrom(101).build(), "101");
        refused(() -> Limiter.builder(Limit.concurrency(1)).shedFrom(-1).build(), "-1");
    }

    private static void refused(ThrowingCallable build, String... told) {
        assertThatIllegalArgumentException()
                .isThrownBy(build)
                .satisfies(thrown -> assertThat(thrown).message().contains(told));
    }
}
