package dev.sluice.simulate.log.format;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import java.time.ZoneId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Makes an entry of the fields of a line. It is for one thread at a time, and for one line after another. */
final class EntryBuilder {
    private final LogAttributes wanted;
    private final TimeReader times;
    private final int methodIndex;
    private final int pathIndex;

    private StringCache strings = StringCache.ofThisThread();
    private @Nullable String[] values;
    private long timeMicros;
    private int status;
    private long bytes;
    private long durationMicros;

    EntryBuilder(LogAttributes wanted, ZoneId zone) {
        this.wanted = wanted;
        this.times = new TimeReader(zone);
        this.methodIndex = wanted.indexOf(LogAttributes.METHOD);
        this.pathIndex = wanted.indexOf(LogAttributes.PATH);
        this.values = new @Nullable String[wanted.size()];
        start();
    }

    /** Starts another block, perhaps on another thread. */
    void startBlock() {
        strings = StringCache.ofThisThread();
    }

    /** Starts another line. */
    void start() {
        timeMicros = TimeReader.WRONG;
        status = LogEntry.NO_STATUS;
        bytes = 0;
        durationMicros = 0;
    }

    /** The place of a column's attribute among those that are wanted; -1 if it is not wanted. */
    int indexOf(Column column) {
        return column.kind() == Column.Kind.PATH ? pathIndex : wanted.indexOf(column.attribute());
    }

    /** Whether a field with this column has to be read at all. */
    boolean needs(Column column) {
        return switch (column.kind()) {
            case NONE -> false;
            case TEXT, VALUE, PATH -> indexOf(column) >= 0;
            case REQUEST -> methodIndex >= 0 || pathIndex >= 0;
            default -> true;
        };
    }

    /**
     * Sets a field.
     *
     * @param index what {@link #indexOf} says about the column
     * @return what is wrong with the value; null if nothing is
     */
    @Nullable
    String set(Column column, int index, byte[] line, int from, int to) {
        switch (column.kind()) {
            case TIME -> {
                timeMicros = times.read(line, from, to);
                return timeMicros == TimeReader.WRONG ? "not a time: " + LineReader.shown(line, from, to) : null;
            }
            case REQUEST -> request(line, from, to);
            case PATH -> path(line, from, to);
            case STATUS -> {
                long number = isDash(line, from, to) ? 0 : Numbers.whole(line, from, to);
                if (number != 0 && (number < 100 || number > 999)) {
                    return "not a status: " + LineReader.shown(line, from, to);
                }
                status = (int) number;
            }
            case BYTES -> bytes = Math.max(0, Numbers.whole(line, from, to));
            case SECONDS -> durationMicros = Math.max(0, Numbers.scaled(line, from, to, 6));
            case MILLIS -> durationMicros = Math.max(0, Numbers.scaled(line, from, to, 3));
            case MICROS -> durationMicros = Math.max(0, Numbers.scaled(line, from, to, 0));
            case NANOS -> durationMicros = Math.max(0, Numbers.whole(line, from, to)) / 1000;
            case TEXT -> {
                if (index >= 0 && to > from && !isDash(line, from, to)) {
                    values[index] = strings.get(line, from, to);
                }
            }
            case VALUE -> {
                if (index >= 0) {
                    values[index] = strings.get(line, from, to);
                }
            }
            case NONE -> {}
        }
        return null;
    }

    private void request(byte[] line, int from, int to) {
        int space = ByteSearch.indexOf((byte) ' ', line, from, to);
        if (space == to || space == from) {
            return; // what a server writes for a request that it could not read
        }
        if (methodIndex >= 0) {
            values[methodIndex] = strings.get(line, from, space);
        }
        if (pathIndex >= 0) {
            int last = to;
            for (int i = to - 1; i > space; i--) {
                if (line[i] == ' ') {
                    last = i;
                    break;
                }
            }
            path(line, space + 1, last);
        }
    }

    private void path(byte[] line, int from, int to) {
        int query = ByteSearch.indexOf((byte) '?', line, from, to);
        if (pathIndex >= 0 && query > from && !isDash(line, from, query)) {
            values[pathIndex] = strings.get(line, from, query);
        }
    }

    /** The entry; null if the line had no time. */
    @Nullable
    LogEntry build() {
        if (timeMicros == TimeReader.WRONG) {
            return null;
        }
        @Nullable String[] filled = values;
        values = new @Nullable String[filled.length];
        return new LogEntry(wanted, filled, timeMicros, status, bytes, durationMicros);
    }

    /** Forgets the fields of a line that turned out to be wrong. */
    void discard() {
        Arrays.fill(values, null);
    }

    private static boolean isDash(byte[] line, int from, int to) {
        return to - from == 1 && line[from] == '-';
    }
}
