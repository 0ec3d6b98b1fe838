package dev.sluice.contract;

import dev.sluice.Limit;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;

/** One limit of each algorithm and variant. */
public final class Kinds {
    private Kinds() {}

    /** Limits of {@code permits} that are regained within {@code period}, give or take a slice. */
    public static Stream<Limit> rates(long permits, Duration period) {
        return Stream.of(
                Limit.fixedWindow(permits, period),
                Limit.fixedWindow(permits, period).aligned(),
                Limit.fixedWindow(permits, ChronoUnit.DAYS, ZoneId.of("Asia/Shanghai")),
                Limit.slidingWindow(permits, period, 10),
                Limit.slidingWindow(permits, period, 1),
                Limit.slidingWindow(permits, period, 10).weighted(),
                Limit.slidingLog(permits, period),
                Limit.tokenBucket(permits, period),
                Limit.leakyBucket(permits, period),
                Limit.leakyBucket(permits, period).queue());
    }

    public static Stream<Limit> tens() {
        return Stream.concat(rates(10, Duration.ofSeconds(1)), Stream.of(Limit.concurrency(10)));
    }

    /** The largest limits there are. */
    public static Stream<Limit> giants() {
        long most = Limit.MAX_PERMITS;
        Duration micro = Duration.ofNanos(1000);
        return Stream.of(
                Limit.fixedWindow(most, Limit.MAX_PERIOD),
                Limit.fixedWindow(most, micro).aligned(),
                Limit.fixedWindow(most, ChronoUnit.YEARS, ZoneId.of("Europe/Berlin")),
                Limit.slidingWindow(most, Limit.MAX_PERIOD, 10),
                Limit.slidingWindow(most, micro, 1),
                Limit.slidingWindow(most / 4, micro, 1).weighted(),
                Limit.slidingWindow(7, Limit.MAX_PERIOD, 1).weighted(),
                Limit.tokenBucket(most, micro),
                Limit.tokenBucket(1, micro).burst(most),
                Limit.tokenBucket(1, Limit.MAX_PERIOD).burst(28),
                Limit.leakyBucket(most, micro),
                Limit.leakyBucket(1, micro).capacity(most).queue(),
                Limit.concurrency(most));
    }
}
