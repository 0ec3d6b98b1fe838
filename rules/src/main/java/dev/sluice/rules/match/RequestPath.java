package dev.sluice.rules.match;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Normalizes a path for comparing (RFC 3986, 6.2.2): no query, no dot segments, no doubled slashes, no escapes of
 * characters that need none. A path in that form is returned as it is, after one scan.
 */
final class RequestPath {
    private RequestPath() {}

    static String normalized(String path) {
        return isNormal(path) ? path : rewritten(path);
    }

    private static boolean isNormal(String path) {
        char before = 'a';
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '%' || c == '?' || c == '#' || (before == '/' && (c == '/' || c == '.'))) {
                return false;
            }
            before = c;
        }
        return true;
    }

    private static String rewritten(String path) {
        String decoded = decoded(withoutQuery(path));
        if (!decoded.startsWith("/")) {
            return decoded;
        }
        Deque<String> segments = new ArrayDeque<>();
        String[] all = decoded.split("/", -1);
        for (String segment : all) {
            if (segment.equals("..")) {
                segments.pollLast();
            } else if (!segment.isEmpty() && !segment.equals(".")) {
                segments.addLast(segment);
            }
        }
        String last = all[all.length - 1];
        boolean folder = last.isEmpty() || last.equals(".") || last.equals("..");
        return "/" + String.join("/", segments) + (folder && !segments.isEmpty() ? "/" : "");
    }

    private static String withoutQuery(String path) {
        for (int i = 0; i < path.length(); i++) {
            if (path.charAt(i) == '?' || path.charAt(i) == '#') {
                return path.substring(0, i);
            }
        }
        return path;
    }

    /** Escapes of unreserved characters undone, the others in upper case. */
    private static String decoded(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        StringBuilder text = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            int code = c == '%' && i + 2 < path.length() ? code(path.charAt(i + 1), path.charAt(i + 2)) : -1;
            if (code < 0) {
                text.append(c);
                continue;
            }
            if (isUnreserved(code)) {
                text.append((char) code);
            } else {
                text.append('%').append(hex(code >> 4)).append(hex(code & 15));
            }
            i += 2;
        }
        return text.toString();
    }

    private static int code(char first, char second) {
        int high = first < 128 ? Character.digit(first, 16) : -1;
        int low = second < 128 ? Character.digit(second, 16) : -1;
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static char hex(int digit) {
        return Character.toUpperCase(Character.forDigit(digit, 16));
    }

    private static boolean isUnreserved(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '.'
                || c == '_'
                || c == '~';
    }
}
