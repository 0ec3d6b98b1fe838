package dev.sluice.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON (RFC 8259), and writes strings of it.
 *
 * <p>Why another reader: the client needs nothing but the JDK, which has none. It reads the replies of a server that may be
 * another one than expected, so it refuses whatever is not JSON, is nested deeply, or names a member twice.
 */
final class Json {
    /** A text that is not JSON. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String message) {
            super(message, null, false, false);
        }
    }

    private static final int MAX_DEPTH = 16;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** An object as a {@link Map}, a list as a {@link List}, and String, Long, Double, Boolean or null. */
    static @Nullable Object read(String text) throws Malformed {
        Json json = new Json(text);
        Object value = json.value(0);
        if (json.peek() >= 0) {
            throw json.unexpected("the end");
        }
        return value;
    }

    private @Nullable Object value(int depth) throws Malformed {
        if (depth > MAX_DEPTH) {
            throw new Malformed("nested more than " + MAX_DEPTH + " deep");
        }
        int first = peek();
        return switch (first) {
            case '{' -> object(depth);
            case '[' -> list(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object(int depth) throws Malformed {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        at++;
        if (peek() == '}') {
            at++;
            return members;
        }
        while (true) {
            if (peek() != '"') {
                throw unexpected("the name of a member");
            }
            String name = string();
            if (members.containsKey(name)) {
                throw new Malformed("member '" + name + "' is there twice");
            }
            if (peek() != ':') {
                throw unexpected("':'");
            }
            at++;
            members.put(name, value(depth + 1));
            if (!goesOn('}')) {
                return members;
            }
        }
    }

    private List<@Nullable Object> list(int depth) throws Malformed {
        List<@Nullable Object> values = new ArrayList<>();
        at++;
        if (peek() == ']') {
            at++;
            return values;
        }
        do {
            values.add(value(depth + 1));
        } while (goesOn(']'));
        return values;
    }

    /** Whether there is a comma and not the end. */
    private boolean goesOn(char end) throws Malformed {
        int next = peek();
        if (next != ',' && next != end) {
            throw unexpected("',' or '" + end + "'");
        }
        at++;
        return next == ',';
    }

    private String string() throws Malformed {
        StringBuilder read = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return read.toString();
            }
            if (c < ' ') {
                throw unexpected("a character of a string");
            }
            read.append(c == '\\' ? escaped() : c);
        }
        throw unexpected("the end of a string");
    }

    private char escaped() throws Malformed {
        at++;
        char c = at < text.length() ? text.charAt(at) : ' ';
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw unexpected("an escaped character");
        };
    }

    private char unicode() throws Malformed {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            at++;
            int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
            if (digit < 0 || text.charAt(at) > 'f') {
                throw unexpected("four hexadecimal digits");
            }
            code = 16 * code + digit;
        }
        return (char) code;
    }

    private @Nullable Object word(String word, @Nullable Object value) throws Malformed {
        if (!text.startsWith(word, at)) {
            throw unexpected("a value");
        }
        at += word.length();
        return value;
    }

    private Object number() throws Malformed {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String number = text.substring(from, at);
        if (number.length() > 40 || !number.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?")) {
            at = from;
            throw unexpected("a value");
        }
        if (number.matches("-?\\d{1,18}")) {
            return Long.parseLong(number);
        }
        return Double.parseDouble(number);
    }

    /** The next character that is not white space; -1 at the end. */
    private int peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : -1;
    }

    private Malformed unexpected(String expected) {
        String found = at < text.length()
                ? "'" + text.substring(at, Math.min(text.length(), at + 20)).replaceAll("\\p{Cntrl}", "?") + "'"
                : "the end";
        return new Malformed("expected " + expected + " at " + at + ", was " + found);
    }

    /** Writes a string with its quotes. Half of a surrogate pair is escaped: UTF-8 has no bytes for it. */
    static void write(StringBuilder json, String value) {
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                json.append(c).append(value.charAt(++i));
            } else if (c < ' ' || Character.isSurrogate(c)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
