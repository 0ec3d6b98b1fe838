package dev.sluice.simulate.log.format;

/** Reads numbers from bytes. */
final class Numbers {
    /** What stands for a text that is no number. */
    static final long NONE = -1;

    private static final int MAX_DIGITS = 18;

    private Numbers() {}

    /** A whole number of at most 18 digits; {@link #NONE} if it is none. A fraction is cut off. */
    static long whole(byte[] bytes, int from, int to) {
        return scaled(bytes, from, to, 0);
    }

    /** A number times ten to the power {@code shift}; {@link #NONE} if it is none. What is left of a fraction is cut off. */
    static long scaled(byte[] bytes, int from, int to, int shift) {
        long number = 0;
        int fraction = -1;
        if (from == to) {
            return NONE;
        }
        for (int at = from; at < to; at++) {
            byte digit = bytes[at];
            if (digit == '.' && fraction < 0 && at > from) {
                fraction = 0;
            } else if (digit < '0' || digit > '9' || at - from > MAX_DIGITS) {
                return NONE;
            } else if (fraction < 0) {
                number = number * 10 + digit - '0';
            } else if (fraction < shift) {
                number = number * 10 + digit - '0';
                fraction++;
            }
        }
        for (int i = Math.max(0, fraction); i < shift; i++) {
            if (number > Long.MAX_VALUE / 10) {
                return NONE;
            }
            number *= 10;
        }
        return number;
    }
}
