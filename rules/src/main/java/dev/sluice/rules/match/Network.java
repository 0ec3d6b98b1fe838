package dev.sluice.rules.match;

import org.jspecify.annotations.Nullable;

/**
 * A network: the addresses whose first {@code bits} of 128 are the same, such as {@code 198.51.100.0/24}.
 *
 * @param first the lowest of them
 */
public record Network(Address first, int bits) {
    public Network {
        if (bits < 0 || bits > 128) {
            throw new IllegalArgumentException("a network must have 0 to 128 bits, was " + bits);
        }
        first = first.masked(bits);
    }

    /** Reads a network as {@code address/bits} or as one address; null if {@code text} is neither. */
    public static @Nullable Network parse(String text) {
        int slash = text.indexOf('/');
        Address address = Address.parse(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            return null;
        }
        boolean dotted = text.indexOf(':') < 0;
        int bits = slash < 0 ? (dotted ? 32 : 128) : bits(text, slash + 1, dotted ? 32 : 128);
        return bits < 0 ? null : new Network(address, dotted ? bits + 96 : bits);
    }

    private static int bits(String text, int from, int most) {
        int digits = text.length() - from;
        if (digits < 1 || digits > 3 || (digits > 1 && text.charAt(from) == '0')) {
            return -1;
        }
        int bits = 0;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            bits = bits * 10 + c - '0';
        }
        return bits <= most ? bits : -1;
    }

    /** Whether {@code address} lies in it. */
    public boolean contains(Address address) {
        return first.commonBits(address) >= bits;
    }

    @Override
    public String toString() {
        return first.isV4() && bits >= 96 ? first + "/" + (bits - 96) : first + "/" + bits;
    }
}
