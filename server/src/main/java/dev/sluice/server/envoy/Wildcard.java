package dev.sluice.server.envoy;

import java.util.List;

/** A value in which each {@code *} stands for any characters, or none. */
record Wildcard(String text, List<String> parts) {
    static boolean isOne(String value) {
        return value.indexOf('*') >= 0;
    }

    static Wildcard of(String text) {
        return new Wildcard(text, List.of(text.split("\\*", -1)));
    }

    /** Whether the parts are in {@code value} in their order: the first at its start, the last at its end. */
    boolean matches(String value) {
        String first = parts.get(0);
        String last = parts.get(parts.size() - 1);
        int end = value.length() - last.length();
        if (!value.startsWith(first) || first.length() > end || !value.endsWith(last)) {
            return false;
        }
        int at = first.length();
        for (String part : parts.subList(1, parts.size() - 1)) {
            int found = value.indexOf(part, at);
            if (found < 0 || found + part.length() > end) {
                return false;
            }
            at = found + part.length();
        }
        return true;
    }
}
