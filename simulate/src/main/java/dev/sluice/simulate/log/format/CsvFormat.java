package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.simulate.log.LogException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table with a header. The columns are separated by what separates the names: a comma, a semicolon or a tab. A value may
 * stand in quotes, and then has its own quotes twice; a line is a row, so that no value has an end of line.
 */
final class CsvFormat extends LogFormat {
    private final Map<String, String> map;

    CsvFormat(Map<String, String> map) {
        super("csv");
        this.map = Map.copyOf(map);
    }

    @Override
    public int headerLines() {
        return 1;
    }

    @Override
    public List<String> attributes(Sample sample) {
        return Column.attributes(columns(sample).values().stream());
    }

    private static byte separator(String header) {
        byte best = ',';
        for (char separator : new char[] {';', '\t'}) {
            long count = header.chars().filter(letter -> letter == separator).count();
            char known = (char) best;
            best = count > header.chars().filter(letter -> letter == known).count() ? (byte) separator : best;
        }
        return best;
    }

    private static List<String> header(Sample sample) {
        if (sample.lines().isEmpty()) {
            return List.of();
        }
        byte[] line = sample.text(sample.lines().get(0)).getBytes(UTF_8);
        List<String> names = new ArrayList<>();
        Splitter splitter = new Splitter(separator(new String(line, UTF_8)));
        splitter.start(line, 0, line.length);
        while (splitter.next()) {
            names.add(new String(splitter.value, splitter.from, splitter.to - splitter.from, UTF_8).strip());
        }
        return names;
    }

    private Map<String, Column> columns(Sample sample) {
        Map<String, Column> columns = FieldNames.columns(map, header(sample));
        requireTime("column", sample.file(), columns);
        return columns;
    }

    /** Throws if no field is the time. */
    static void requireTime(String what, String file, Map<String, Column> columns) {
        if (columns.values().stream().noneMatch(column -> column.kind() == Column.Kind.TIME)) {
            throw new LogException(
                    file + ": no " + what + " is known to be the time; say which with --map time=NAME; the " + what
                            + "s are " + String.join(", ", columns.keySet()));
        }
    }

    @Override
    LineParser parser(Sample sample, EntryBuilder builder) {
        Map<String, Column> byName = columns(sample);
        List<String> header = header(sample);
        Column[] columns = header.stream()
                .map(name -> byName.getOrDefault(name, Column.NONE))
                .toArray(Column[]::new);
        String first =
                sample.lines().isEmpty() ? "" : sample.text(sample.lines().get(0));
        return new Parser(columns, separator(first), builder);
    }

    private static final class Parser implements LineParser {
        private final EntryBuilder builder;
        private final Column[] columns;
        private final int[] indexes;
        private final Splitter splitter;

        Parser(Column[] columns, byte separator, EntryBuilder builder) {
            this.builder = builder;
            this.columns = columns;
            this.indexes = Arrays.stream(columns).mapToInt(builder::indexOf).toArray();
            this.splitter = new Splitter(separator);
        }

        @Override
        public @Nullable String parse(byte[] line, int from, int to) {
            builder.start();
            splitter.start(line, from, to);
            int column = 0;
            while (splitter.next()) {
                if (column < columns.length) {
                    String problem =
                            builder.set(columns[column], indexes[column], splitter.value, splitter.from, splitter.to);
                    if (problem != null) {
                        return problem;
                    }
                }
                column++;
            }
            if (splitter.open) {
                return "a quote has no end";
            }
            return column == columns.length ? null : column + " columns; the header has " + columns.length;
        }
    }

    /** Goes from value to value of a row. */
    private static final class Splitter {
        private final byte separator;
        private byte[] line = new byte[0];
        private int at;
        private int end;
        private boolean done;
        private byte[] unquoted = new byte[256];

        /** What holds the value. */
        byte[] value = new byte[0];

        int from;
        int to;
        /** Whether a quote had no end. */
        boolean open;

        Splitter(byte separator) {
            this.separator = separator;
        }

        void start(byte[] bytes, int start, int stop) {
            line = bytes;
            at = start;
            end = stop;
            done = false;
            open = false;
        }

        boolean next() {
            if (done) {
                return false;
            }
            if (at < end && line[at] == '"') {
                quoted();
            } else {
                value = line;
                from = at;
                at = ByteSearch.indexOf(separator, line, at, end);
                to = at;
            }
            done = at >= end;
            at++;
            return true;
        }

        private void quoted() {
            if (unquoted.length < end - at) {
                unquoted = new byte[end - at];
            }
            int length = 0;
            open = true;
            for (at++; at < end; at++) {
                if (line[at] == '"') {
                    if (at + 1 < end && line[at + 1] == '"') {
                        at++;
                    } else {
                        open = false;
                        at++;
                        break;
                    }
                }
                unquoted[length++] = line[at];
            }
            at = ByteSearch.indexOf(separator, line, at, end);
            value = unquoted;
            from = 0;
            to = length;
        }
    }
}
