package dev.sluice.rules;

import dev.sluice.Ticker;
import dev.sluice.spi.Scheduler;
import java.time.Duration;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** A clock and its scheduler: moving the clock runs what has become due. */
final class ManualClock implements Ticker, Scheduler {
    private record Alarm(long atNanos, long number, Runnable action) {}

    private final TreeSet<Alarm> alarms =
            new TreeSet<>(Comparator.comparingLong(Alarm::atNanos).thenComparingLong(Alarm::number));
    private long nowNanos;
    private long scheduled;

    @Override
    public long nanos() {
        return nowNanos;
    }

    @Override
    public Runnable schedule(long delayMicros, Runnable action) {
        Alarm alarm = new Alarm(nowNanos + TimeUnit.MICROSECONDS.toNanos(delayMicros), scheduled++, action);
        alarms.add(alarm);
        return () -> alarms.remove(alarm);
    }

    void advance(Duration time) {
        long end = nowNanos + time.toNanos();
        while (!alarms.isEmpty() && alarms.first().atNanos <= end) {
            Alarm next = alarms.pollFirst();
            nowNanos = Math.max(nowNanos, next.atNanos);
            next.action.run();
        }
        nowNanos = end;
    }

    /** How many actions are yet to run. */
    int pending() {
        return alarms.size();
    }
}
