package dev.sluice.server.record;

import dev.sluice.Durations;
import dev.sluice.rules.Request;
import dev.sluice.text.Quoted;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded of requests, and how much. What could be a secret is recorded only if it is named: the default
 * attributes have no header field, and of a path the query is never recorded.
 *
 * @param maxBytes how many bytes of memory the recording may take
 * @param shareMillionths the share of the clients that is recorded, in millionths
 * @param attributes the attributes that are recorded, by their names in rules
 * @param hashed those of them whose values are recorded as hashes
 * @param maxAge how long a record can be read
 * @param key what the hashes depend on: servers with the same key record the same clients and write the same hashes; null
 *     for one of its own
 */
public record RecorderSettings(
        long maxBytes,
        int shareMillionths,
        List<String> attributes,
        List<String> hashed,
        Duration maxAge,
        @Nullable String key) {
    /** All clients. */
    public static final int EVERYBODY = 1_000_000;

    /** The smallest number of bytes. */
    public static final long MIN_BYTES = 1 << 20;

    /** The attributes that are recorded unless others are named. */
    public static final List<String> DEFAULT_ATTRIBUTES =
            List.of("ip", "user", "device", "region", "method", "host", "path", "domain", "priority");

    /** How long a record can be read unless something else is said. */
    public static final Duration DEFAULT_MAX_AGE = Duration.ofDays(1);

    private static final Duration MIN_AGE = Duration.ofSeconds(1);
    private static final int MIN_KEY = 16;
    /** What a line of a log has beside the attributes. */
    private static final Set<String> NOT_ATTRIBUTES = Set.of("time", "cost", "status", "bytes", "duration", "request");

    public RecorderSettings {
        attributes = List.copyOf(attributes);
        hashed = List.copyOf(hashed);
        if (maxBytes < MIN_BYTES) {
            throw new IllegalArgumentException("must be 1MB or more, was " + maxBytes + "B");
        }
        if (shareMillionths < 1 || shareMillionths > EVERYBODY) {
            throw new IllegalArgumentException("share must be from 0.0001% to 100%, was "
                    + new BigDecimal(shareMillionths).movePointLeft(4) + "%");
        }
        if (attributes.isEmpty() || attributes.size() > Request.MAX_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "attributes must be 1 to " + Request.MAX_ATTRIBUTES + " names, were " + attributes.size());
        }
        for (String name : attributes) {
            checkName(name);
        }
        for (String name : hashed) {
            if (!attributes.contains(name)) {
                throw new IllegalArgumentException("hash must name attributes that are recorded, was "
                        + Quoted.quoted(name) + "; recorded are " + String.join(", ", attributes));
            }
        }
        if (maxAge.compareTo(MIN_AGE) < 0) {
            throw new IllegalArgumentException("age must be 1s or more, was " + Durations.text(maxAge));
        }
        if (key != null && key.length() < MIN_KEY) {
            throw new IllegalArgumentException("key must have " + MIN_KEY + " characters or more, had " + key.length());
        }
    }

    private static void checkName(String name) {
        if (!name.matches("[!-~&&[^,\"\\\\A-Z]]{1,128}")) {
            throw new IllegalArgumentException(
                    "attributes must be names in lower case, separated by commas, was " + Quoted.quoted(name));
        }
        if (NOT_ATTRIBUTES.contains(name)) {
            throw new IllegalArgumentException("attributes cannot have '" + name
                    + "', which a line of a log has beside the attributes of the request");
        }
    }

    /** All clients, their default attributes as they are, for a day, within so many bytes. */
    public static RecorderSettings of(long maxBytes) {
        return new RecorderSettings(maxBytes, EVERYBODY, DEFAULT_ATTRIBUTES, List.of(), DEFAULT_MAX_AGE, null);
    }

    /** The same with a share of the clients. */
    public RecorderSettings share(int millionths) {
        return new RecorderSettings(maxBytes, millionths, attributes, hashed, maxAge, key);
    }

    /** The same with other attributes. */
    public RecorderSettings attributes(List<String> names) {
        return new RecorderSettings(maxBytes, shareMillionths, names, hashed, maxAge, key);
    }

    /** The same with hashes of these attributes. */
    public RecorderSettings hashed(List<String> names) {
        return new RecorderSettings(maxBytes, shareMillionths, attributes, names, maxAge, key);
    }

    /** The same for another time. */
    public RecorderSettings maxAge(Duration age) {
        return new RecorderSettings(maxBytes, shareMillionths, attributes, hashed, age, key);
    }

    /** The same with a key. */
    public RecorderSettings key(@Nullable String text) {
        return new RecorderSettings(maxBytes, shareMillionths, attributes, hashed, maxAge, text);
    }

    /**
     * Reads a share such as {@code 10%}.
     *
     * @throws IllegalArgumentException if it is none, or not from 0.0001 % to 100 %
     */
    public static int millionths(String text) {
        String number = text.strip();
        if (number.matches("[0-9]{1,3}([.][0-9]{1,4})?%")) {
            int millionths = new BigDecimal(number.substring(0, number.length() - 1))
                    .movePointRight(4)
                    .intValueExact();
            if (millionths >= 1 && millionths <= EVERYBODY) {
                return millionths;
            }
        }
        throw new IllegalArgumentException(
                "share must be a share of the clients from 0.0001% to 100%, such as 10%, was " + Quoted.quoted(text));
    }

    /** The share as text: {@code 10%}. */
    public String shareText() {
        return new BigDecimal(shareMillionths)
                        .movePointLeft(4)
                        .stripTrailingZeros()
                        .toPlainString() + "%";
    }

    /** The key does not show. */
    @Override
    public String toString() {
        return "RecorderSettings[" + maxBytes + " bytes, " + shareText() + " of the clients, " + attributes
                + ", hashed " + hashed + ", for " + Durations.text(maxAge) + "]";
    }
}
