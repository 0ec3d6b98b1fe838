package dev.sluice.spi;

import dev.sluice.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** A clock and its scheduler: moving the clock runs the actions that have become due, in order. */
public final class FakeTime implements Ticker, Scheduler {
    private record Alarm(long atMicros, long sequence, Runnable action) {}

    private final TreeSet<Alarm> alarms =
            new TreeSet<>(Comparator.comparingLong(Alarm::atMicros).thenComparingLong(Alarm::sequence));
    private long nowMicros;
    private long sequence;

    @Override
    public long nanos() {
        return nowMicros * 1000;
    }

    @Override
    public Runnable schedule(long micros, Runnable action) {
        Alarm alarm = new Alarm(nowMicros + micros, sequence++, action);
        alarms.add(alarm);
        return () -> alarms.remove(alarm);
    }

    /** Lets time pass. */
    public void pass(Duration time) {
        long end = nowMicros + TimeUnit.MICROSECONDS.convert(time);
        while (!alarms.isEmpty() && alarms.first().atMicros <= end) {
            Alarm next = alarms.pollFirst();
            nowMicros = Math.max(nowMicros, next.atMicros);
            next.action.run();
        }
        nowMicros = end;
    }

    /** Sets the clock back; what is due stays due at the time it was set for. */
    public void stepBack(Duration time) {
        nowMicros -= TimeUnit.MICROSECONDS.convert(time);
    }

    /** How many alarms are set: what waiting keeps in memory. */
    public int alarms() {
        return alarms.size();
    }
}
