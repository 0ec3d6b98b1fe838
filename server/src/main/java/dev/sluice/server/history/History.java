package dev.sluice.server.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was decided: each second of the last 15 minutes, each minute of the last 24 hours, and the good and bad requests
 * of each hour of 30 days. It is the sum of all servers that add to it.
 *
 * <p>Why the last minutes are read off the seconds: a server that is killed has sent its seconds but not its last minute.
 */
public final class History {
    public static final int SECONDS = 15 * 60;
    public static final int MINUTES = 24 * 60;
    /** How far the clock of another server may be ahead. */
    private static final int TOLERANCE = 5;
    /** Minutes whose seconds are all kept. */
    private static final int FRESH_MINUTES = SECONDS / 60 - 1;

    private static final int MINUTE = 60;

    private final Ring seconds = new Ring(SECONDS + 2 * TOLERANCE);
    private final Ring minutes = new Ring(MINUTES + 2);
    private final Hours hours = new Hours();
    private final RuleRows rules = new RuleRows(this::rowsInUse);
    private long since;
    private long last;

    /**
     * Counts over time.
     *
     * @param from the first of them, in seconds since 1970
     * @param step the seconds between two of them
     * @param counts the counts of each time, of the columns that were counted; null at a time when no server was running
     */
    public record Series(long from, int step, List<long @Nullable []> counts) {}

    /** Counts from the second {@code since} on. */
    History(long since) {
        this.since = since;
        this.last = since;
    }

    // ---- Adding

    synchronized void add(SharedSlot shared, long now) {
        if (shared.span() == SharedSlot.Span.SECOND) {
            seconds.add(shared.time(), shared.localized(rules), now + TOLERANCE);
        } else {
            minutes.add(shared.time(), shared.localized(rules), now / MINUTE + 1);
        }
    }

    /** All of this server up to a second was added. */
    synchronized void last(long second) {
        last = second;
    }

    synchronized void addToHour(long hour, long good, long bad) {
        hours.add(hour, good, bad);
    }

    synchronized void hours(Map<Long, long[]> all, long from) {
        hours.atLeast(all);
        since = Math.min(since, from);
    }

    private BitSet rowsInUse() {
        BitSet rows = new BitSet();
        for (Ring ring : List.of(seconds, minutes)) {
            ring.forEach(slot -> slot.forEach((counts, row) -> rows.set(row)));
        }
        return rows;
    }

    // ---- Reading

    /** The newest second that was counted. */
    public synchronized long last() {
        return last;
    }

    /** Since when requests are counted for the availability, in seconds since 1970. */
    public synchronized long since() {
        return since;
    }

    /** A row, each second of 15 minutes up to {@code end}. */
    public synchronized Series seconds(Row row, long end) {
        return seconds(row.number(), end);
    }

    /** A row, each minute of the last 24 hours, without the minute that is not over. */
    public synchronized Series minutes(Row row) {
        return minutes(row.number());
    }

    public synchronized Series seconds(String rule, long end) {
        return seconds(row(rule), end);
    }

    public synchronized Series minutes(String rule) {
        return minutes(row(rule));
    }

    /** The counts of each rule over the last {@code length} seconds, at most 15 minutes. */
    public synchronized Map<String, long[]> rules(int length) {
        Map<Integer, long[]> sums = new TreeMap<>();
        for (long time = last - length + 1; time <= last; time++) {
            add(sums, seconds.at(time));
        }
        return named(sums);
    }

    /** The counts of each rule over the last 24 hours. */
    public synchronized Map<String, long[]> rulesOfDay() {
        Map<Integer, long[]> sums = new TreeMap<>();
        long current = last / MINUTE;
        for (long minute = current - MINUTES; minute < current; minute++) {
            if (isFresh(minute)) {
                for (long time = minute * MINUTE; time < (minute + 1) * MINUTE; time++) {
                    add(sums, seconds.at(time));
                }
            } else {
                add(sums, minutes.at(minute));
            }
        }
        return named(sums);
    }

    /** The sum of a row over the last {@code length} seconds, at most 15 minutes. */
    public synchronized long[] sum(Row row, int length) {
        return sumOfSeconds(row.number(), last - length + 1, last);
    }

    /** In how many of the last {@code length} seconds a server was running; at least 1. */
    public synchronized int covered(int length) {
        int covered = 0;
        for (long time = last - length + 1; time <= last; time++) {
            covered += seconds.at(time) == null ? 0 : 1;
        }
        return Math.max(1, covered);
    }

    /** The largest count in the first column of a row over the last {@code length} seconds. */
    public synchronized long max(Row row, int length) {
        long max = 0;
        for (long time = last - length + 1; time <= last; time++) {
            Slot slot = seconds.at(time);
            long[] counts = slot == null ? new long[0] : slot.row(row.number());
            max = counts.length == 0 ? max : Math.max(max, counts[0]);
        }
        return max;
    }

    /**
     * Good and bad requests of a window that ends now: an hour or a day. More than a day ends with the last minute that is
     * over.
     */
    public synchronized Availability availability(double target, Duration window) {
        long current = last / MINUTE;
        long length = window.toMinutes();
        long[] sum;
        if (length <= MINUTES) {
            sum = sumOfSeconds(Row.SERVICE.number(), current * MINUTE, last);
            for (long minute = current - length + 1; minute < current; minute++) {
                long[] counts = minute(Row.SERVICE.number(), minute);
                sum = counts == null ? sum : Slot.sum(sum, counts);
            }
        } else {
            long hour = current / MINUTE;
            sum = hours.sum(hour - window.toHours() + 1, hour);
        }
        return new Availability(target, window, at(sum, Row.GOOD), at(sum, Row.BAD));
    }

    /** The bytes of the counts of all seconds and minutes. */
    synchronized long bytes() {
        return seconds.bytes() + minutes.bytes();
    }

    /** The row of a rule; a row that nothing has if it is not known. */
    private int row(String rule) {
        Integer row = rules.find(rule);
        return row == null ? Integer.MAX_VALUE : row;
    }

    private Series seconds(int row, long end) {
        List<long @Nullable []> counts = new ArrayList<>(SECONDS);
        long from = end - SECONDS + 1;
        for (long time = from; time <= end; time++) {
            Slot slot = seconds.at(time);
            counts.add(slot == null ? null : slot.row(row));
        }
        return new Series(from, 1, counts);
    }

    private Series minutes(int row) {
        List<long @Nullable []> counts = new ArrayList<>(MINUTES);
        long current = last / MINUTE;
        for (long minute = current - MINUTES; minute < current; minute++) {
            counts.add(minute(row, minute));
        }
        return new Series((current - MINUTES) * MINUTE, MINUTE, counts);
    }

    private boolean isFresh(long minute) {
        return minute > last / MINUTE - FRESH_MINUTES;
    }

    /** The counts of a minute; null if no server was running. */
    private long @Nullable [] minute(int row, long minute) {
        if (isFresh(minute)) {
            boolean any = false;
            for (long time = minute * MINUTE; time < (minute + 1) * MINUTE && !any; time++) {
                any = seconds.at(time) != null;
            }
            return any ? sumOfSeconds(row, minute * MINUTE, (minute + 1) * MINUTE - 1) : null;
        }
        Slot slot = minutes.at(minute);
        return slot == null ? null : slot.row(row);
    }

    private long[] sumOfSeconds(int row, long from, long to) {
        long[] sum = new long[0];
        for (long time = from; time <= to; time++) {
            Slot slot = seconds.at(time);
            if (slot != null) {
                sum = Slot.sum(sum, slot.row(row));
            }
        }
        return sum;
    }

    private static void add(Map<Integer, long[]> sums, @Nullable Slot slot) {
        if (slot != null) {
            slot.forEach((counts, row) -> Slot.add(sums, row, counts));
        }
    }

    private Map<String, long[]> named(Map<Integer, long[]> sums) {
        Map<String, long[]> named = new LinkedHashMap<>();
        sums.forEach((row, counts) -> {
            String name = rules.name(row);
            if (name != null) {
                named.put(name, counts);
            }
        });
        return named;
    }

    /** A count; 0 if the row has no such column. */
    public static long at(long[] counts, int column) {
        return column < counts.length ? counts[column] : 0;
    }
}
