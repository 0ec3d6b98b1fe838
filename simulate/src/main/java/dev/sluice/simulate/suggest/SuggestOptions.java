package dev.sluice.simulate.suggest;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/**
 * What is asked for.
 *
 * @param key the attributes by which clients are counted
 * @param keepMillionths the share to leave untouched, in millionths
 * @param of of what it is a share
 * @param zone the zone of days and hours
 * @param maxBytes how many bytes of memory the traffic may take
 */
public record SuggestOptions(List<String> key, int keepMillionths, Of of, ZoneId zone, long maxBytes) {
    private static final int WHOLE = 1_000_000;
    private static final int MIN_KEEP = WHOLE / 2;
    private static final int MAX_KEY = 8;

    /** Of what a share is. */
    public enum Of {
        CLIENTS,
        REQUESTS
    }

    /** 99.9 % of the clients by address, with half of the memory. */
    public static final SuggestOptions DEFAULT = new SuggestOptions(
            List.of("ip"),
            999_000,
            Of.CLIENTS,
            ZoneOffset.UTC,
            Runtime.getRuntime().maxMemory() / 2);

    public SuggestOptions {
        key = List.copyOf(key);
        if (key.isEmpty() || key.size() > MAX_KEY) {
            throw new IllegalArgumentException("key must be 1 to " + MAX_KEY + " attributes, was " + key);
        }
        if (keepMillionths < MIN_KEEP || keepMillionths > WHOLE) {
            throw new IllegalArgumentException("keep must be from 50% to 100%, was " + percent(keepMillionths));
        }
    }

    /** The same with another share. */
    public SuggestOptions keeping(int keepMillionths) {
        return new SuggestOptions(key, keepMillionths, of, zone, maxBytes);
    }

    /** The same with a share of something else. */
    public SuggestOptions of(Of of) {
        return new SuggestOptions(key, keepMillionths, of, zone, maxBytes);
    }

    /** The same with another key. */
    public SuggestOptions by(List<String> key) {
        return new SuggestOptions(key, keepMillionths, of, zone, maxBytes);
    }

    /** The same with another zone. */
    public SuggestOptions in(ZoneId zone) {
        return new SuggestOptions(key, keepMillionths, of, zone, maxBytes);
    }

    /** The same with another bound of memory. */
    public SuggestOptions within(long maxBytes) {
        return new SuggestOptions(key, keepMillionths, of, zone, maxBytes);
    }

    /**
     * Reads a share such as {@code 99.9%}.
     *
     * @throws IllegalArgumentException if it is none, or not from 50 % to 100 %, or finer than a millionth
     */
    public static int millionths(String text) {
        String number = text.strip();
        number = number.endsWith("%") ? number.substring(0, number.length() - 1).strip() : number;
        if (!number.matches("[0-9]{1,3}([.][0-9]{1,4})?")) {
            throw new IllegalArgumentException(
                    "keep must be a share such as 99.9%, with at most four decimals, was '" + text + "'");
        }
        int millionths = new BigDecimal(number).movePointRight(4).intValueExact();
        if (millionths < MIN_KEEP || millionths > WHOLE) {
            throw new IllegalArgumentException("keep must be from 50% to 100%, was '" + text + "'");
        }
        return millionths;
    }

    /** The share as text: {@code 99.9 %}. */
    public String keepText() {
        return percent(keepMillionths);
    }

    private static String percent(int millionths) {
        return new BigDecimal(millionths)
                        .movePointLeft(4)
                        .setScale(4, RoundingMode.UNNECESSARY)
                        .stripTrailingZeros()
                        .toPlainString()
                + " %";
    }

    /** How many of {@code number} may be touched, if {@code parts} limits share what is allowed. */
    long mayTouch(long number, int parts) {
        return Math.floorDiv(number * (WHOLE - keepMillionths), (long) WHOLE * parts);
    }
}
