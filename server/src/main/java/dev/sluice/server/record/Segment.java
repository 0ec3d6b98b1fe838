package dev.sluice.server.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the recording. One thread appends records to it; any number read what has been published. Dropping it frees
 * its bytes, while a reader may still finish with them.
 *
 * <pre>
 *   record   time in microseconds (8 bytes) | length (4 bytes) | the line after its time
 * </pre>
 */
final class Segment {
    static final int HEAD = Long.BYTES + Integer.BYTES;

    private static final VarHandle END;
    private static final VarHandle LAST_MICROS;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    static {
        try {
            END = MethodHandles.lookup().findVarHandle(Segment.class, "end", int.class);
            LAST_MICROS = MethodHandles.lookup().findVarHandle(Segment.class, "lastMicros", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What tells the segments of a thread from those of others. */
    final Object ring;

    final long firstMicros;
    private volatile byte @Nullable [] bytes;

    @SuppressWarnings("UnusedVariable") // by its handle
    private int end;

    @SuppressWarnings("UnusedVariable") // by its handle
    private long lastMicros;

    Segment(Object ring, long firstMicros, int size) {
        this.ring = ring;
        this.firstMicros = firstMicros;
        this.lastMicros = firstMicros;
        this.bytes = new byte[size];
    }

    /** The bytes; null if they have been dropped. */
    byte @Nullable [] bytes() {
        return bytes;
    }

    /** How many of the bytes can be read. */
    int end() {
        return (int) END.getAcquire(this);
    }

    /** The time of the last record. */
    long lastMicros() {
        return (long) LAST_MICROS.getOpaque(this);
    }

    /** Appends a record. Returns false if there is no room. For one thread. */
    boolean append(long micros, byte[] line, int length) {
        byte[] into = bytes;
        int from = (int) END.get(this);
        if (into == null || into.length - from < HEAD + length) {
            return false;
        }
        LONGS.set(into, from, micros);
        INTS.set(into, from + Long.BYTES, length);
        System.arraycopy(line, 0, into, from + HEAD, length);
        LAST_MICROS.setOpaque(this, micros);
        END.setRelease(this, from + HEAD + length);
        return true;
    }

    static long micros(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }

    static int length(byte[] bytes, int at) {
        return (int) INTS.get(bytes, at + Long.BYTES);
    }

    void drop() {
        bytes = null;
    }
}
