package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/**
 * Goes through one JSON object and tells each member that is a text, a number or a truth value. Of an array it tells the
 * first value. It is for one thread.
 */
abstract class JsonScanner {
    private static final int MAX_DEPTH = 32;
    private static final int MAX_NAME = 1024;

    private final byte[] name = new byte[MAX_NAME];
    private byte[] bytes = new byte[0];
    private int start;
    private int at;
    private int end;

    /** Where the string that was read last stands. */
    private byte[] text = new byte[0];

    private int textFrom;
    private int textTo;

    /** Takes a member, whose name is in {@link #name}. Returns what is wrong with it; null if nothing is. */
    abstract @Nullable String member(int nameLength, byte[] value, int from, int to);

    /** The name of the member, with those of the objects around it. */
    final byte[] name() {
        return name;
    }

    /** Reads an object. Returns what is wrong; null if nothing is. */
    final @Nullable String scan(byte[] line, int from, int to) {
        bytes = line;
        start = from;
        at = from;
        end = to;
        blanks();
        if (at == end || bytes[at] != '{') {
            return wrong("expected an object");
        }
        String problem = object(0, 0);
        blanks();
        return problem == null && at < end ? wrong("expected the end of the line") : problem;
    }

    private @Nullable String object(int prefix, int depth) {
        at++;
        blanks();
        if (take('}')) {
            return null;
        }
        if (depth == MAX_DEPTH) {
            return wrong("more than " + MAX_DEPTH + " objects within each other");
        }
        while (true) {
            blanks();
            if (!string()) {
                return wrong("expected a name in quotes");
            }
            int length = named(prefix);
            blanks();
            if (!take(':')) {
                return wrong("expected ':'");
            }
            String problem = value(length, depth);
            if (problem != null) {
                return problem;
            }
            blanks();
            if (take('}')) {
                return null;
            }
            if (!take(',')) {
                return wrong("expected ',' or '}'");
            }
        }
    }

    /** Puts the string after the names of the objects around it. A name that is too long is nobody's. */
    private int named(int prefix) {
        int length = textTo - textFrom;
        if (prefix + 1 + length > MAX_NAME) {
            return 0;
        }
        int from = prefix;
        if (prefix > 0) {
            name[from++] = '.';
        }
        System.arraycopy(text, textFrom, name, from, length);
        return from + length;
    }

    private @Nullable String value(int nameLength, int depth) {
        blanks();
        if (at == end) {
            return wrong("expected a value");
        }
        return switch (bytes[at]) {
            case '{' -> object(nameLength, depth + 1);
            case '[' -> array(nameLength, depth + 1);
            case '"' -> string() ? tell(nameLength, text, textFrom, textTo) : wrong("a text has no end");
            default -> token(nameLength);
        };
    }

    private @Nullable String tell(int nameLength, byte[] value, int from, int to) {
        return nameLength == 0 ? null : member(nameLength, value, from, to);
    }

    private @Nullable String array(int nameLength, int depth) {
        at++;
        blanks();
        if (take(']')) {
            return null;
        }
        if (depth == MAX_DEPTH) {
            return wrong("more than " + MAX_DEPTH + " arrays within each other");
        }
        int tell = nameLength;
        while (true) {
            String problem = value(tell, depth);
            if (problem != null) {
                return problem;
            }
            tell = 0;
            blanks();
            if (take(']')) {
                return null;
            }
            if (!take(',')) {
                return wrong("expected ',' or ']'");
            }
        }
    }

    private @Nullable String token(int nameLength) {
        int from = at;
        while (at < end && isToken(bytes[at])) {
            at++;
        }
        if (at == from) {
            return wrong("expected a value");
        }
        boolean isNull = at - from == 4 && bytes[from] == 'n';
        return isNull ? null : tell(nameLength, bytes, from, at);
    }

    private static boolean isToken(byte letter) {
        return (letter >= '0' && letter <= '9')
                || (letter >= 'a' && letter <= 'z')
                || letter == '.'
                || letter == '-'
                || letter == '+'
                || letter == 'E';
    }

    /** Reads a string; false if there is none, or if it has no end. */
    private boolean string() {
        if (!take('"')) {
            return false;
        }
        int from = at;
        boolean escapes = false;
        while (true) {
            at = ByteSearch.indexOfEither((byte) '"', (byte) '\\', bytes, at, end);
            if (at >= end) {
                return false;
            }
            if (bytes[at] == '"') {
                break;
            }
            escapes = true;
            at += 2;
        }
        text = bytes;
        textFrom = from;
        textTo = at++;
        if (escapes) {
            unescape();
        }
        return true;
    }

    private void unescape() {
        String raw = new String(text, textFrom, textTo - textFrom, UTF_8);
        StringBuilder plain = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char letter = raw.charAt(i);
            if (letter != '\\' || i + 1 == raw.length()) {
                plain.append(letter);
                continue;
            }
            char next = raw.charAt(++i);
            int code = next == 'u' && i + 4 < raw.length() ? hex(raw, i + 1) : -1;
            if (code >= 0) {
                plain.append((char) code);
                i += 4;
            } else {
                plain.append(
                        switch (next) {
                            case 'n' -> '\n';
                            case 't' -> '\t';
                            case 'r' -> '\r';
                            case 'b' -> '\b';
                            case 'f' -> '\f';
                            default -> next;
                        });
            }
        }
        text = plain.toString().getBytes(UTF_8);
        textFrom = 0;
        textTo = text.length;
    }

    private static int hex(String text, int from) {
        int code = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = Character.digit(text.charAt(i), 16);
            if (digit < 0) {
                return -1;
            }
            code = code << 4 | digit;
        }
        return code;
    }

    private void blanks() {
        while (at < end && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r')) {
            at++;
        }
    }

    private boolean take(char expected) {
        boolean there = at < end && bytes[at] == expected;
        at += there ? 1 : 0;
        return there;
    }

    private String wrong(String problem) {
        int from = Math.min(at, end);
        return "not JSON at column " + (from - start + 1) + ": " + problem + ", was "
                + (from == end ? "the end of the line" : LineReader.shown(bytes, from, end));
    }
}
