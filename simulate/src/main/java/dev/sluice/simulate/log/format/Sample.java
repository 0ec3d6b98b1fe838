package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/** The first lines of a file, by which its format is found. */
public final class Sample {
    /** As many lines as are enough. */
    public static final int MAX_LINES = 200;

    /** A line, without its end. */
    public record Line(int from, int to) {}

    private final String file;
    private final byte[] bytes;
    private final List<Line> lines;

    /**
     * A sample.
     *
     * @param file the name of the file
     * @param bytes what holds the lines
     * @param lines where they stand, without empty ones
     */
    public Sample(String file, byte[] bytes, List<Line> lines) {
        this.file = file;
        this.bytes = bytes;
        this.lines = List.copyOf(lines);
    }

    /** The name of the file. */
    String file() {
        return file;
    }

    /** What holds the lines. */
    public byte[] bytes() {
        return bytes;
    }

    /** The lines, without empty ones. */
    public List<Line> lines() {
        return lines;
    }

    String text(Line line) {
        return new String(bytes, line.from, line.to - line.from, UTF_8);
    }

    /** How many of the lines a parser accepts. */
    int accepted(LineParser parser, int skip) {
        int accepted = 0;
        for (Line line : lines.subList(Math.min(skip, lines.size()), lines.size())) {
            accepted += parser.parse(bytes, line.from, line.to) == null ? 1 : 0;
        }
        return accepted;
    }

    /** Whether the file is no text. */
    boolean isBinary() {
        int end = lines.isEmpty() ? 0 : lines.get(lines.size() - 1).to;
        int control = 0;
        for (int i = 0; i < end; i++) {
            byte letter = bytes[i];
            if (letter == 0) {
                return true;
            }
            control += letter >= 0 && letter < ' ' && letter != '\n' && letter != '\r' && letter != '\t' ? 1 : 0;
        }
        return control > end / 20;
    }
}
