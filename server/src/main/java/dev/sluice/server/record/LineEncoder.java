package dev.sluice.server.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.rules.Request;
import dev.sluice.rules.match.Attributes;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes requests as lines of JSON, without their times. It is for one thread, and allocates nothing in the common case.
 *
 * <pre>
 *   {"time":1794787200123456     not from here
 *   ,"cost":2                    if it is not 1
 *   ,"attributes":{"ip":"203.0.113.9","path":"/login"}}
 * </pre>
 */
final class LineEncoder {
    /** The largest number of characters of a value; of a longer one the start and a hash are recorded. */
    static final int MAX_VALUE = 1024;

    private static final byte[] COST = ascii(",\"cost\":");
    private static final byte[] ATTRIBUTES = ascii(",\"attributes\":{");
    private static final byte[] END = ascii("}}\n");
    private static final byte[] HEX = ascii("0123456789abcdef");
    /** The largest number of bytes that one character of a text becomes. */
    private static final int MAX_BYTES = 6;

    private final String[] names;
    /** {@code "name":"} of each name. */
    private final byte[][] members;

    private final boolean[] hashed;
    private final ClientHash hash;

    /** The line that was written last, in its first {@link #length} bytes. */
    byte[] bytes = new byte[512];

    int length;

    LineEncoder(List<String> attributes, List<String> hashed, ClientHash hash) {
        this.names = attributes.toArray(String[]::new);
        this.members =
                attributes.stream().map(name -> ascii("\"" + name + "\":\"")).toArray(byte[][]::new);
        this.hashed = new boolean[names.length];
        for (int i = 0; i < names.length; i++) {
            this.hashed[i] = hashed.contains(names[i]);
        }
        this.hash = hash;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(UTF_8);
    }

    void encode(Request request) {
        length = 0;
        if (request.cost() != 1) {
            add(COST);
            add(ascii(Long.toString(request.cost())));
        }
        add(ATTRIBUTES);
        boolean first = true;
        for (int i = 0; i < names.length; i++) {
            String value = value(request, names[i]);
            if (value != null) {
                if (!first) {
                    add((byte) ',');
                }
                first = false;
                add(members[i]);
                add(hashed[i] ? hash.of(names[i], value) : shortened(value));
                add((byte) '"');
            }
        }
        add(END);
    }

    /** The value as it was sent; of a path without the query. */
    private static @Nullable String value(Request request, String name) {
        if (!name.equals(Attributes.PATH)) {
            return request.attribute(name);
        }
        String path = request.sentPath();
        int query = path == null ? -1 : path.indexOf('?');
        return path == null || query < 0 ? path : path.substring(0, query);
    }

    private String shortened(String value) {
        return value.length() <= MAX_VALUE ? value : value.substring(0, MAX_VALUE - 17) + "~" + hash.ofRest(value);
    }

    private void add(byte one) {
        reserve(1);
        bytes[length++] = one;
    }

    private void add(byte[] more) {
        reserve(more.length);
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length + more);
        }
    }

    /** Adds a text in UTF-8, with everything escaped that would end a line or a string. */
    private void add(String text) {
        reserve(MAX_BYTES * text.length());
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter >= ' ' && letter < 0x7f && letter != '"' && letter != '\\') {
                bytes[length++] = (byte) letter;
            } else if (letter < 0x80) {
                escaped(letter);
            } else if (!Character.isSurrogate(letter)) {
                encoded(letter);
            } else if (i + 1 < text.length() && Character.isSurrogatePair(letter, text.charAt(i + 1))) {
                encoded(Character.toCodePoint(letter, text.charAt(++i)));
            } else {
                encoded('\uFFFD'); // half a character
            }
        }
    }

    private void escaped(char letter) {
        bytes[length++] = '\\';
        if (letter == '"' || letter == '\\') {
            bytes[length++] = (byte) letter;
            return;
        }
        bytes[length++] = 'u';
        bytes[length++] = '0';
        bytes[length++] = '0';
        bytes[length++] = HEX[letter >> 4];
        bytes[length++] = HEX[letter & 15];
    }

    /** Writes a character from U+0080 on. */
    private void encoded(int code) {
        if (code < 0x800) {
            bytes[length++] = (byte) (0xc0 | code >> 6);
        } else {
            if (code < 0x10000) {
                bytes[length++] = (byte) (0xe0 | code >> 12);
            } else {
                bytes[length++] = (byte) (0xf0 | code >> 18);
                bytes[length++] = (byte) (0x80 | (code >> 12 & 0x3f));
            }
            bytes[length++] = (byte) (0x80 | (code >> 6 & 0x3f));
        }
        bytes[length++] = (byte) (0x80 | (code & 0x3f));
    }
}
