package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A JSON object on each line. A member of an inner object is named with a dot: {@code request.uri}. */
final class JsonFormat extends LogFormat {
    private final Map<String, String> map;

    JsonFormat(Map<String, String> map) {
        super("json");
        this.map = Map.copyOf(map);
    }

    @Override
    public List<String> attributes(Sample sample) {
        return Column.attributes(columns(sample).values().stream());
    }

    private Map<String, Column> columns(Sample sample) {
        Set<String> names = new LinkedHashSet<>();
        JsonScanner scanner = new JsonScanner() {
            @Override
            @Nullable
            String member(int nameLength, byte[] bytes, int from, int to) {
                names.add(new String(name(), 0, nameLength, UTF_8));
                return null;
            }
        };
        for (Sample.Line line : sample.lines()) {
            scanner.scan(sample.bytes(), line.from(), line.to());
        }
        Map<String, Column> columns = FieldNames.columns(map, names);
        CsvFormat.requireTime("field", sample.file(), columns);
        return columns;
    }

    @Override
    LineParser parser(Sample sample, EntryBuilder builder) {
        return new Parser(columns(sample), builder);
    }

    private static final class Parser extends JsonScanner implements LineParser {
        private final EntryBuilder builder;
        private final byte[][] names;
        private final Column[] columns;
        private final int[] indexes;

        Parser(Map<String, Column> byName, EntryBuilder builder) {
            this.builder = builder;
            List<Map.Entry<String, Column>> needed = byName.entrySet().stream()
                    .filter(entry -> builder.needs(entry.getValue()))
                    .toList();
            names = needed.stream().map(entry -> entry.getKey().getBytes(UTF_8)).toArray(byte[][]::new);
            columns = needed.stream().map(Map.Entry::getValue).toArray(Column[]::new);
            indexes = Arrays.stream(columns).mapToInt(builder::indexOf).toArray();
        }

        @Override
        public @Nullable String parse(byte[] line, int from, int to) {
            builder.start();
            return scan(line, from, to);
        }

        @Override
        @Nullable
        String member(int nameLength, byte[] bytes, int from, int to) {
            byte[] name = name();
            for (int i = 0; i < names.length; i++) {
                if (names[i].length == nameLength && Arrays.equals(names[i], 0, nameLength, name, 0, nameLength)) {
                    return builder.set(columns[i], indexes[i], bytes, from, to);
                }
            }
            return null;
        }
    }
}
