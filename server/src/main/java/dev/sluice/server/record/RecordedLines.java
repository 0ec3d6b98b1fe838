package dev.sluice.server.record;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Recorded requests as lines of JSON, in the order of their times: what {@code sluice replay} reads. It keeps no more than
 * one segment of each event loop from being freed, and is for one thread.
 *
 * <pre>
 *   {"time":1794787200123456,"attributes":{"ip":"203.0.113.9","path":"/login","method":"POST"}}
 * </pre>
 */
public final class RecordedLines extends InputStream {
    private static final byte[] START = "{\"time\":".getBytes(US_ASCII);
    /** The start of a line and its time. */
    private static final int MAX_HEAD = 32;

    private final Recorder recorder;
    private final long untilMicros;
    private final long wallMicros;
    private final PriorityQueue<Cursor> cursors = new PriorityQueue<>(
            Comparator.<Cursor>comparingLong(cursor -> cursor.micros).thenComparingInt(cursor -> cursor.number));
    private long fromMicros;
    private boolean started;
    private byte[] line = new byte[512];
    private int at;
    private int end;

    /** The server has dropped records that were about to be read. */
    public static final class Overtaken extends IOException {
        private static final long serialVersionUID = 1;

        Overtaken() {
            super("the server records faster than this is read, and has dropped what would come next;"
                    + " ask for less, or record a smaller share");
        }
    }

    /** Where the reader stands in the records of one event loop. */
    private final class Cursor {
        final int number;
        private final List<Segment> segments;
        private int next;
        private byte @Nullable [] bytes;
        private int from;
        private int to;
        private long micros;

        Cursor(int number, List<Segment> segments) {
            this.number = number;
            this.segments = segments;
        }

        /** Goes to the next record; false if there is none. */
        boolean advance() throws Overtaken {
            byte[] in = bytes;
            from += in == null ? 0 : Segment.HEAD + Segment.length(in, from);
            while (in == null || from == to) {
                if (next == segments.size()) {
                    return false;
                }
                Segment segment = segments.get(next++);
                in = segment.bytes();
                from = 0;
                to = segment.end();
                if (in == null) {
                    dropped();
                    to = 0;
                }
            }
            bytes = in;
            micros = Segment.micros(in, from);
            return micros <= untilMicros;
        }
    }

    RecordedLines(Recorder recorder, Collection<Segment> segments, long fromMicros, long untilMicros, long wallMicros) {
        this.recorder = recorder;
        this.untilMicros = untilMicros;
        this.wallMicros = wallMicros;
        this.fromMicros = Math.max(fromMicros, recorder.completeAfter() + 1);
        Map<Object, List<Segment>> byRing = new LinkedHashMap<>();
        for (Segment segment : segments) {
            if (segment.lastMicros() >= this.fromMicros) {
                byRing.computeIfAbsent(segment.ring, ring -> new ArrayList<>()).add(segment);
            }
        }
        byRing.values().forEach(its -> add(new Cursor(cursors.size(), its)));
    }

    private void add(Cursor cursor) {
        try {
            if (cursor.advance()) {
                cursors.add(cursor);
            }
        } catch (Overtaken e) {
            throw new IllegalStateException("nothing has been read yet", e);
        }
    }

    /** Before the first line it only means that the recording begins later. */
    private void dropped() throws Overtaken {
        if (started) {
            throw new Overtaken();
        }
        fromMicros = Math.max(fromMicros, recorder.completeAfter() + 1);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int copied = 0;
        while (copied < length) {
            if (at == end && !nextLine()) {
                return copied == 0 ? -1 : copied;
            }
            int part = Math.min(length - copied, end - at);
            System.arraycopy(line, at, into, offset + copied, part);
            at += part;
            copied += part;
        }
        return copied;
    }

    private boolean nextLine() throws IOException {
        for (Cursor first = cursors.poll(); first != null; first = cursors.poll()) {
            boolean wanted = first.micros >= fromMicros;
            if (wanted) {
                started = true;
                write(first);
            }
            if (first.advance()) {
                cursors.add(first);
            }
            if (wanted) {
                return true;
            }
        }
        return false;
    }

    private void write(Cursor cursor) {
        byte[] in = cursor.bytes;
        int length = in == null ? 0 : Segment.length(in, cursor.from);
        if (line.length < MAX_HEAD + length) {
            line = Arrays.copyOf(line, MAX_HEAD + length);
        }
        System.arraycopy(START, 0, line, 0, START.length);
        byte[] time = Long.toString(cursor.micros + wallMicros).getBytes(US_ASCII);
        System.arraycopy(time, 0, line, START.length, time.length);
        at = 0;
        end = START.length + time.length;
        if (in != null) {
            System.arraycopy(in, cursor.from + Segment.HEAD, line, end, length);
            end += length;
        }
    }
}
