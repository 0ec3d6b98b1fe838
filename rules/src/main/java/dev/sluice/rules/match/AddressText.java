package dev.sluice.rules.match;

import org.jspecify.annotations.Nullable;

/** Reads and writes addresses. Reading is strict: no octal, no short forms, no host names. */
final class AddressText {
    private static final int MAX_LENGTH = 45;

    private AddressText() {}

    static @Nullable Address parse(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            return null;
        }
        if (text.indexOf(':') < 0) {
            long bits = v4(text, 0);
            return bits < 0 ? null : Address.v4((int) bits);
        }
        return v6(text);
    }

    /** Whether it is an address of version 4, which has one form only. */
    static boolean isV4(String text) {
        return v4(text, 0) >= 0;
    }

    static @Nullable Address parseHost(String text) {
        String host = text.strip();
        if (host.startsWith("[")) {
            int close = host.indexOf(']');
            if (close < 0 || !isPort(host, close + 1)) {
                return null;
            }
            host = host.substring(1, close);
            return host.indexOf(':') < 0 ? null : parse(withoutZone(host));
        }
        int colon = host.indexOf(':');
        if (colon >= 0 && host.indexOf(':', colon + 1) < 0) {
            return isPort(host, colon) ? parse(host.substring(0, colon)) : null;
        }
        return parse(withoutZone(host));
    }

    /** Nearly every address is of version 4 and without a port: that is its canonical form already. */
    static @Nullable String canonical(String text) {
        if (isV4(text)) {
            return text;
        }
        Address address = parseHost(text);
        return address == null ? null : write(address);
    }

    private static String withoutZone(String host) {
        int percent = host.indexOf('%');
        return percent < 0 || host.indexOf(':') < 0 ? host : host.substring(0, percent);
    }

    /** Whether nothing follows, or a colon and a port. */
    static boolean isPort(String text, int from) {
        if (from == text.length()) {
            return true;
        }
        int digits = text.length() - from - 1;
        return text.charAt(from) == ':'
                && digits >= 1
                && digits <= 5
                && text.chars().skip(from + 1).allMatch(c -> c >= '0' && c <= '9');
    }

    /** The 32 bits written from {@code start} to the end, or -1. */
    private static long v4(String text, int start) {
        long bits = 0;
        int at = start;
        for (int part = 0; part < 4; part++) {
            if (part > 0 && (at >= text.length() || text.charAt(at++) != '.')) {
                return -1;
            }
            int first = at;
            int value = 0;
            while (at < text.length() && at - first < 4 && isDigit(text.charAt(at))) {
                value = value * 10 + text.charAt(at++) - '0';
            }
            boolean leadingZero = at - first > 1 && text.charAt(first) == '0';
            if (at == first || value > 255 || leadingZero) {
                return -1;
            }
            bits = bits << 8 | value;
        }
        return at == text.length() ? bits : -1;
    }

    private static @Nullable Address v6(String text) {
        int[] groups = new int[8];
        int count = 0;
        int gap = -1;
        int at = 0;
        if (text.startsWith("::")) {
            gap = 0;
            at = 2;
        }
        while (at < text.length()) {
            int end = text.indexOf(':', at);
            boolean last = end < 0;
            String group = text.substring(at, last ? text.length() : end);
            if (last && group.indexOf('.') >= 0) {
                long bits = count > 6 ? -1 : v4(group, 0);
                if (bits < 0) {
                    return null;
                }
                groups[count++] = (int) (bits >>> 16);
                groups[count++] = (int) (bits & 0xFFFF);
                break;
            }
            int value = group(group);
            if (value < 0 || count == 8) {
                return null;
            }
            groups[count++] = value;
            if (last) {
                break;
            }
            at = end + 1;
            if (at < text.length() && text.charAt(at) == ':') {
                if (gap >= 0) {
                    return null;
                }
                gap = count;
                at++;
            } else if (at == text.length()) {
                return null;
            }
        }
        return gap < 0 ? (count == 8 ? of(groups) : null) : (count > 7 ? null : of(spread(groups, count, gap)));
    }

    private static int[] spread(int[] groups, int count, int gap) {
        int[] all = new int[8];
        System.arraycopy(groups, 0, all, 0, gap);
        System.arraycopy(groups, gap, all, 8 - (count - gap), count - gap);
        return all;
    }

    private static Address of(int[] groups) {
        long high = 0;
        long low = 0;
        for (int i = 0; i < 4; i++) {
            high = high << 16 | groups[i];
            low = low << 16 | groups[i + 4];
        }
        return new Address(high, low);
    }

    /** One to four hexadecimal digits, or -1. */
    private static int group(String text) {
        if (text.isEmpty() || text.length() > 4) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        return value;
    }

    static String write(Address address) {
        StringBuilder text = new StringBuilder(MAX_LENGTH);
        if (address.isV4()) {
            long low = address.low();
            for (int shift = 24; shift >= 0; shift -= 8) {
                text.append(low >>> shift & 0xFF).append(shift == 0 ? "" : ".");
            }
            return text.toString();
        }
        int[] groups = new int[8];
        for (int i = 0; i < 8; i++) {
            groups[i] = (int) ((i < 4 ? address.high() >>> (48 - 16 * i) : address.low() >>> (112 - 16 * i)) & 0xFFFF);
        }
        int start = longestZeros(groups);
        int end = start < 0 ? -1 : zerosEnd(groups, start);
        for (int i = 0; i < 8; i++) {
            if (i == start) {
                text.append("::");
                i = end - 1;
            } else {
                text.append(i == 0 || i == end ? "" : ":").append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }

    /** Where the first of the longest runs of two or more zeros begins, or -1. */
    private static int longestZeros(int[] groups) {
        int best = -1;
        int length = 1;
        for (int i = 0; i < 8; i++) {
            int end = zerosEnd(groups, i);
            if (end - i > length) {
                best = i;
                length = end - i;
            }
        }
        return best;
    }

    private static int zerosEnd(int[] groups, int start) {
        int end = start;
        while (end < 8 && groups[end] == 0) {
            end++;
        }
        return end;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
