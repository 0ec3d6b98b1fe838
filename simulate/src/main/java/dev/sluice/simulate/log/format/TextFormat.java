package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines of fields with fixed text between them, as nginx and Apache write them.
 *
 * <p>A field ends where the text that follows it in the format comes next. Within quotes a backslash keeps the character
 * after it from ending the field; that is how both servers write a quote in a value.
 */
final class TextFormat extends LogFormat {
    /**
     * A field.
     *
     * @param column what it is
     * @param name the variable as it is written in the format
     * @param before the text between the field before and this one
     */
    record Field(Column column, String name, String before) {}

    static final TextFormat COMMON = builtIn("common", "%h %l %u %t \"%r\" %>s %b");
    static final TextFormat COMBINED =
            builtIn("combined", "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"");
    static final TextFormat VHOST =
            builtIn("vhost", "%v:%p %h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"");

    private final List<Field> fields;
    private final String after;
    private final boolean open;

    /**
     * A format.
     *
     * @param after the text after the last field
     * @param open whether more text may follow
     */
    TextFormat(String name, List<Field> fields, String after, boolean open) {
        super(name);
        this.fields = List.copyOf(fields);
        this.after = after;
        this.open = open;
    }

    private static TextFormat builtIn(String name, String format) {
        TextFormat parsed = FormatString.parse(format);
        return new TextFormat(name, parsed.fields, parsed.after, true);
    }

    @Override
    public List<String> attributes(Sample sample) {
        return Column.attributes(fields.stream().map(Field::column));
    }

    @Override
    LineParser parser(Sample sample, EntryBuilder builder) {
        return new Parser(builder);
    }

    /** Finds the fields of a line. */
    private final class Parser implements LineParser {
        private final EntryBuilder builder;
        private final Column[] columns;
        private final int[] indexes;
        private final boolean[] needed;
        private final boolean[] quoted;
        /** The text before each field, and after the last. */
        private final byte[][] texts;

        private byte[] unescaped = new byte[256];
        private boolean hasEscapes;

        Parser(EntryBuilder builder) {
            this.builder = builder;
            int count = fields.size();
            columns = new Column[count];
            indexes = new int[count];
            needed = new boolean[count];
            quoted = new boolean[count];
            texts = new byte[count + 1][];
            for (int i = 0; i < count; i++) {
                Field field = fields.get(i);
                columns[i] = field.column;
                indexes[i] = builder.indexOf(field.column);
                needed[i] = builder.needs(field.column);
                quoted[i] = field.before.endsWith("\"");
                texts[i] = field.before.getBytes(UTF_8);
            }
            texts[count] = after.getBytes(UTF_8);
        }

        @Override
        public @Nullable String parse(byte[] line, int from, int to) {
            builder.start();
            int at = from;
            if (!startsWith(texts[0], line, at, to)) {
                return expected(0, line, at, to);
            }
            at += texts[0].length;
            for (int i = 0; i < columns.length; i++) {
                int end = end(i, line, at, to);
                if (end < 0) {
                    return expected(i + 1, line, at, to);
                }
                if (needed[i]) {
                    String problem = set(i, line, at, end);
                    if (problem != null) {
                        return problem;
                    }
                }
                at = end + texts[i + 1].length;
            }
            boolean more = at < to && !(open && line[at] == ' ');
            return more ? "the line goes on after the format's end: " + LineReader.shown(line, at, to) : null;
        }

        private @Nullable String set(int field, byte[] line, int from, int to) {
            if (!hasEscapes) {
                return builder.set(columns[field], indexes[field], line, from, to);
            }
            if (unescaped.length < to - from) {
                unescaped = new byte[to - from];
            }
            int length = Escapes.unescape(line, from, to, unescaped);
            return builder.set(columns[field], indexes[field], unescaped, 0, length);
        }

        /** Where a field ends; -1 if the text after it does not come. */
        private int end(int field, byte[] line, int from, int to) {
            byte[] text = texts[field + 1];
            hasEscapes = false;
            if (text.length == 0) {
                return open ? ByteSearch.indexOf((byte) ' ', line, from, to) : to;
            }
            byte first = text[0];
            byte escape = quoted[field] ? (byte) '\\' : first;
            int at = from;
            while (true) {
                at = ByteSearch.indexOfEither(first, escape, line, at, to);
                if (at >= to) {
                    return -1;
                }
                if (line[at] == first && (text.length == 1 || startsWith(text, line, at, to))) {
                    return at;
                }
                boolean escapes = line[at] == '\\' && quoted[field];
                hasEscapes |= escapes;
                at += escapes ? 2 : 1;
            }
        }

        private String expected(int text, byte[] line, int at, int to) {
            String where = text == 0 ? "at the start" : "after " + fields.get(text - 1).name;
            return "no " + Quoted.quoted(new String(texts[text], UTF_8)) + " " + where + ": "
                    + LineReader.shown(line, at, to);
        }

        private static boolean startsWith(byte[] text, byte[] line, int at, int to) {
            if (at + text.length > to) {
                return false;
            }
            for (int i = 0; i < text.length; i++) {
                if (line[at + i] != text[i]) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Collects fields while a format string is read. */
    static final class Builder {
        private final List<Field> fields = new ArrayList<>();
        private final StringBuilder text = new StringBuilder();

        void text(char letter) {
            text.append(letter);
        }

        void text(String letters) {
            text.append(letters);
        }

        /** Adds a field. Returns false if no text separates it from the one before. */
        boolean field(Column column, String name) {
            if (text.isEmpty() && !fields.isEmpty()) {
                return false;
            }
            fields.add(new Field(column, name, text.toString()));
            text.setLength(0);
            return true;
        }

        boolean has(Column.Kind kind) {
            return fields.stream().anyMatch(field -> field.column.kind() == kind);
        }

        TextFormat build(String name) {
            return new TextFormat(name, fields, text.toString(), false);
        }
    }
}
