package dev.sluice.redis.script;

import dev.sluice.KeyUsage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Reads the reply of usage.lua. */
public final class UsageReply {
    /** The outcome and the time, as in {@link ScriptReply}. */
    private static final int START = 1 + Double.BYTES;

    private final ByteBuffer packed;
    private int at = START;

    private UsageReply(byte[] reply) {
        this.packed = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * What is in use of each of {@code limits} limits.
     *
     * @throws IndexOutOfBoundsException if it is no such reply
     */
    public static List<KeyUsage> read(byte[] reply, int limits) {
        UsageReply read = new UsageReply(reply);
        List<KeyUsage> usage = new ArrayList<>(limits);
        for (int i = 0; i < limits; i++) {
            usage.add(read.usage());
        }
        if (read.at != reply.length) {
            throw new IndexOutOfBoundsException("expected a reply of " + read.at + " bytes");
        }
        return List.copyOf(usage);
    }

    private KeyUsage usage() {
        long used = number();
        long count = number();
        if (count < 0 || count > KeyUsage.MAX_SPANS) {
            throw new IndexOutOfBoundsException("expected at most " + KeyUsage.MAX_SPANS + " spans, was " + count);
        }
        List<KeyUsage.Span> spans = new ArrayList<>((int) count);
        for (int i = 0; i < count; i++) {
            spans.add(new KeyUsage.Span(number(), number(), number()));
        }
        return new KeyUsage(used, spans);
    }

    private long number() {
        at += Double.BYTES;
        return (long) packed.getDouble(at - Double.BYTES);
    }
}
