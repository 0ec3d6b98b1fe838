package dev.sluice.rules.match;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayDeque;
import java.util.Deque;

/** The steps by which servers read the target of a request. {@link PathForms} combines them. */
final class RequestPath {
    /** What changes the meaning of a path when it is decoded. */
    private static final String DELIMITERS = "/\\;?#%";

    private RequestPath() {}

    /** How dot segments are treated. */
    enum Dots {
        /** Resolved after doubled slashes have become one. */
        MERGED,
        /** Resolved where an empty segment between two slashes counts as a segment. */
        UNMERGED,
        /** Left as they are. */
        LITERAL
    }

    /** Whether every server reads the path as it is written. */
    static boolean isPlain(String path) {
        char before = 'a';
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            boolean special = c > '?' ? c == '\\' : c == '%' || c == '?' || c == '#' || c == ';';
            if (special) {
                return false;
            }
            if (before == '/' && (c == '/' || c == '.')) {
                return false;
            }
            before = c;
        }
        return true;
    }

    /**
     * The one form in which a path is written in a rule: no query, no dot segments, no doubled slashes, and no escapes
     * except those of delimiters.
     */
    static String normalized(String path) {
        return isPlain(path) ? path : resolved(decodedSegments(before(path, "?#")), Dots.MERGED);
    }

    /** The text before the first of some characters. */
    static String before(String text, String ends) {
        for (int i = 0; i < text.length(); i++) {
            if (ends.indexOf(text.charAt(i)) >= 0) {
                return text.substring(0, i);
            }
        }
        return text;
    }

    /** The path of a whole URL such as {@code http://host/path}; any other text as it is. */
    static String withoutScheme(String target) {
        int colon = target.indexOf("://");
        return colon <= 0 || target.indexOf('/') < colon ? target : withoutAuthority(target.substring(colon + 1));
    }

    /** Whether a reader of URLs takes the target for {@code //host/path}; to some a backslash is a slash. */
    static boolean hasAuthority(String target) {
        return target.length() > 1 && isSlash(target.charAt(0)) && isSlash(target.charAt(1));
    }

    /** The path of {@code //host/path}. */
    static String withoutAuthority(String target) {
        int end = 2;
        while (end < target.length() && !isSlash(target.charAt(end))) {
            end++;
        }
        return end < target.length() ? "/" + target.substring(end + 1) : "/";
    }

    private static boolean isSlash(char c) {
        return c == '/' || c == '\\';
    }

    /** The path without parameters: what stands between a semicolon and the end of its segment. */
    static String withoutParameters(String path) {
        StringBuilder text = new StringBuilder(path.length());
        boolean dropped = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            dropped = c == ';' || (dropped && c != '/');
            if (!dropped) {
                text.append(c);
            }
        }
        return text.toString();
    }

    /** The path without dot segments, unless they are literal, and without doubled slashes. */
    static String resolved(String path, Dots dots) {
        if (!path.startsWith("/")) {
            return path;
        }
        Deque<String> segments = new ArrayDeque<>();
        String[] all = path.split("/", -1);
        for (int i = 1; i < all.length; i++) {
            String segment = all[i];
            if (dots != Dots.LITERAL && segment.equals("..")) {
                segments.pollLast();
            } else if (!(segment.isEmpty() && dots != Dots.UNMERGED)
                    && !(segment.equals(".") && dots != Dots.LITERAL)) {
                segments.addLast(segment);
            }
        }
        String last = all[all.length - 1];
        boolean folder = last.isEmpty() || (dots != Dots.LITERAL && (last.equals(".") || last.equals("..")));
        segments.removeIf(String::isEmpty);
        return "/" + String.join("/", segments) + (folder && !segments.isEmpty() ? "/" : "");
    }

    /** Whether a path has a segment that is {@code .} or {@code ..}. */
    static boolean hasDots(String path) {
        for (int at = path.indexOf("/."); at >= 0; at = path.indexOf("/.", at + 1)) {
            int end = path.startsWith("/..", at) ? at + 3 : at + 2;
            if (end == path.length() || path.charAt(end) == '/') {
                return true;
            }
        }
        return false;
    }

    /** Each segment decoded by itself: escapes of delimiters stay, in upper case. */
    static String decodedSegments(String path) {
        return decoded(path, DELIMITERS);
    }

    /** Everything decoded, once. What is not UTF-8 stays escaped, in upper case. */
    static String decoded(String path) {
        return decoded(path, "");
    }

    private static String decoded(String path, String kept) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        StringBuilder text = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); ) {
            int code = code(path, i);
            if (code < 0) {
                text.append(path.charAt(i++));
            } else if (code >= 0x80) {
                i = decodeUtf8(path, i, text);
            } else {
                if (kept.indexOf(code) >= 0) {
                    escape(code, text);
                } else {
                    text.append((char) code);
                }
                i += 3;
            }
        }
        return text.toString();
    }

    /** Decodes a run of escapes beyond ASCII; returns where it ends. */
    private static int decodeUtf8(String path, int start, StringBuilder text) {
        int end = start;
        while (code(path, end) >= 0x80) {
            end += 3;
        }
        byte[] bytes = new byte[(end - start) / 3];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) code(path, start + 3 * i);
        }
        try {
            text.append(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)));
        } catch (CharacterCodingException e) {
            for (byte b : bytes) {
                escape(b & 0xFF, text);
            }
        }
        return end;
    }

    /** The byte that is escaped at {@code at}, or -1. */
    private static int code(String path, int at) {
        if (at + 2 >= path.length() || path.charAt(at) != '%') {
            return -1;
        }
        int high = digit(path.charAt(at + 1));
        int low = digit(path.charAt(at + 2));
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static int digit(char c) {
        return c < 128 ? Character.digit(c, 16) : -1;
    }

    private static void escape(int code, StringBuilder text) {
        text.append('%').append(hex(code >> 4)).append(hex(code & 15));
    }

    private static char hex(int digit) {
        return Character.toUpperCase(Character.forDigit(digit, 16));
    }
}
