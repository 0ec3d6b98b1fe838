package dev.sluice.simulate.log.file;

import dev.sluice.simulate.log.format.ByteSearch;
import dev.sluice.simulate.log.format.Sample;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a file that holds whole lines. */
final class Block {
    private final byte[] bytes;
    private final int from;
    private final int to;
    private final long overlongBytes;
    private final boolean last;
    private final @Nullable String failure;

    /**
     * A block.
     *
     * @param bytes what holds the lines
     * @param from where they start
     * @param to where they end
     * @param overlongBytes the length of a line after them that was too long to be kept; 0 if there is none
     * @param last whether the file ends here
     * @param failure why the file could not be read to its end; null if it could
     */
    Block(byte[] bytes, int from, int to, long overlongBytes, boolean last, @Nullable String failure) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
        this.overlongBytes = overlongBytes;
        this.last = last;
        this.failure = failure;
    }

    byte[] bytes() {
        return bytes;
    }

    long overlongBytes() {
        return overlongBytes;
    }

    boolean last() {
        return last;
    }

    @Nullable
    String failure() {
        return failure;
    }

    /** The first lines, without empty ones. */
    Sample sample(String file) {
        List<Sample.Line> lines = new ArrayList<>();
        Cursor cursor = cursor();
        while (lines.size() < Sample.MAX_LINES && cursor.next()) {
            if (cursor.to > cursor.from) {
                lines.add(new Sample.Line(cursor.from, cursor.to));
            }
        }
        return new Sample(file, bytes, lines);
    }

    /** Goes through the lines. */
    Cursor cursor() {
        return new Cursor();
    }

    /** Goes from line to line. */
    final class Cursor {
        /** Where the line starts. */
        int from;
        /** Where it ends, without the end of line. */
        int to;
        /** Whether an end of line follows. */
        boolean ended;

        private int next = Block.this.from;

        /** Goes to the next line; false if there is none. */
        boolean next() {
            if (next >= Block.this.to) {
                return false;
            }
            from = next;
            to = ByteSearch.indexOf((byte) '\n', bytes, from, Block.this.to);
            ended = to < Block.this.to;
            next = to + 1;
            if (to > from && bytes[to - 1] == '\r') {
                to--;
            }
            return true;
        }
    }
}
