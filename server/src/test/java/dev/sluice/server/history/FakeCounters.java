package dev.sluice.server.history;

import dev.sluice.Decision;
import dev.sluice.ManualClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Counters and a clock that a test moves, and what records them. */
final class FakeCounters implements Counted, InstantSource {
    private static final long AHEAD = 10;

    private final Map<Row, long[]> rows = new LinkedHashMap<>();
    private final Map<String, long[]> rules = new LinkedHashMap<>();
    private long millis;
    final HistoryRecorder recorder;

    FakeCounters(long startSecond, Function<String, @Nullable SharedHistory> shared) {
        this.millis = startSecond * 1000 + 500;
        this.recorder = new HistoryRecorder(
                this, () -> 0, Decision.Source.LOCAL, new KeyWatch(new ManualClock()), this, shared);
    }

    FakeCounters(long startSecond) {
        this(startSecond, id -> null);
    }

    @Override
    public void read(Reader reader) {
        rows.forEach((row, totals) -> reader.row(row, totals.clone()));
        rules.forEach((rule, totals) -> reader.rule(rule, totals.clone()));
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis);
    }

    FakeCounters count(String rule, Column column, long count) {
        rules.computeIfAbsent(rule, name -> new long[Column.values().length])[column.index()] += count;
        return this;
    }

    FakeCounters requests(Column column, long count) {
        rows.computeIfAbsent(Row.REQUESTS, name -> new long[Column.values().length])[column.index()] += count;
        return this;
    }

    void forget(String rule) {
        rules.remove(rule);
    }

    /** A second passes. */
    FakeCounters tick() {
        millis += 1000;
        recorder.tick();
        return this;
    }

    /** The clock goes, and nothing is read. */
    FakeCounters jump(long seconds) {
        millis += 1000 * seconds;
        return this;
    }

    long second() {
        return Math.floorDiv(millis, 1000L);
    }

    long sum(String rule, Column column) {
        return sum(rule, column, recorder.history().last());
    }

    /** Also of seconds that have begun on the clock of Redis and not yet on the one here: that of Redis goes by itself. */
    long sumOfShared(String rule, Column column) {
        return sum(rule, column, recorder.history().last() + AHEAD);
    }

    private long sum(String rule, Column column, long end) {
        long sum = 0;
        for (long[] counts : recorder.history().seconds(rule, end).counts()) {
            sum += counts == null ? 0 : History.at(counts, column.index());
        }
        return sum;
    }
}
