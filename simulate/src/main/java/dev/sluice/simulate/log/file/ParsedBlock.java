package dev.sluice.simulate.log.file;

import dev.sluice.simulate.log.LogEntry;
import dev.sluice.simulate.log.format.LineReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of a block, and what is wrong with it. Lines are numbered from the start of the block, from 1. */
final class ParsedBlock {
    /** How many wrong lines are described. */
    static final int MAX_DESCRIBED = 5;

    record Wrong(int line, String reason) {}

    LogEntry[] entries = new LogEntry[1024];
    /** The line of each entry. */
    int[] lines = new int[1024];

    int count;
    /** All lines, with empty ones. */
    int lineCount;

    int empty;
    int wrong;
    final List<Wrong> described = new ArrayList<>();
    final boolean last;
    final @Nullable String failure;

    private ParsedBlock(Block block) {
        this.last = block.last();
        this.failure = block.failure();
    }

    /** Parses a block, except the first lines of a file that are a header. */
    static ParsedBlock of(Block block, int headerLines, LineReader reader) {
        ParsedBlock parsed = new ParsedBlock(block);
        reader.startBlock();
        Block.Cursor line = block.cursor();
        while (line.next()) {
            parsed.lineCount++;
            if (line.to == line.from || parsed.lineCount <= headerLines) {
                parsed.empty++;
            } else if (block.failure() != null && !line.ended) {
                parsed.wrong("cut off where the file ends: " + LineReader.shown(block.bytes(), line.from, line.to));
            } else {
                parsed.line(reader.read(block.bytes(), line.from, line.to), reader);
            }
        }
        if (block.overlongBytes() > 0) {
            parsed.lineCount++;
            parsed.wrong("a line of " + block.overlongBytes() + " bytes; at most " + BlockReader.MAX_LINE
                    + " bytes are read");
        }
        return parsed;
    }

    private void line(@Nullable LogEntry entry, LineReader reader) {
        if (entry == null) {
            wrong(reader.problem());
            return;
        }
        if (count == entries.length) {
            entries = Arrays.copyOf(entries, 2 * count);
            lines = Arrays.copyOf(lines, 2 * count);
        }
        entries[count] = entry;
        lines[count++] = lineCount;
    }

    private void wrong(String reason) {
        wrong++;
        if (described.size() < MAX_DESCRIBED) {
            described.add(new Wrong(lineCount, reason));
        }
    }
}
