package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.simulate.log.LogEntry;
import dev.sluice.text.Quoted;
import org.jspecify.annotations.Nullable;

/** Reads lines as entries, one after another. It is for one thread at a time. */
public final class LineReader {
    private static final int MAX_SHOWN = 400;

    private final LineParser parser;
    private final EntryBuilder builder;
    private String problem = "";

    LineReader(LineParser parser, EntryBuilder builder) {
        this.parser = parser;
        this.builder = builder;
    }

    /** Starts a block of lines, perhaps on another thread than the one before. */
    public void startBlock() {
        builder.startBlock();
    }

    /** Reads a line. Returns null if it is not an entry: {@link #problem} then says why. */
    public @Nullable LogEntry read(byte[] line, int from, int to) {
        String wrong = parser.parse(line, from, to);
        LogEntry entry = wrong == null ? builder.build() : null;
        if (entry == null) {
            builder.discard();
            problem = wrong == null ? "no time" : wrong;
        }
        return entry;
    }

    /** What was wrong with the last line that was not an entry; empty if all were. */
    public String problem() {
        return problem;
    }

    /** A part of a line, quoted, for a message. */
    public static String shown(byte[] line, int from, int to) {
        int end = Math.min(to, from + MAX_SHOWN);
        return Quoted.quoted(new String(line, from, Math.max(0, end - from), UTF_8));
    }
}
