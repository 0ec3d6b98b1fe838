package dev.sluice.rules;

import dev.sluice.rules.match.Attributes;
import dev.sluice.text.Quoted;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request: its attributes, by name in lower case, and its cost in permits.
 *
 * <p>Two attributes are normalized, so that another spelling does not escape a rule: {@code ip} becomes the
 * canonical address (without a port), and {@code path} loses its query, its dot segments, doubled slashes and needless
 * escapes.
 */
public final class Request implements Attributes {
    /** The largest number of attributes of one request. */
    public static final int MAX_ATTRIBUTES = 64;

    /** The largest number of characters in the name of an attribute. */
    public static final int MAX_NAME = 128;

    /** The largest number of characters in the value of an attribute. */
    public static final int MAX_VALUE = 8192;

    /** Name, value, name, value. */
    private final String[] pairs;

    private final long cost;

    private Request(String[] pairs, long cost) {
        this.pairs = pairs;
        this.cost = cost;
    }

    /** A request with these attributes that asks for {@code cost} permits; 0 takes nothing. */
    public static Request of(Map<String, String> attributes, long cost) {
        Builder builder = builder().cost(cost);
        attributes.forEach(builder::with);
        return builder.build();
    }

    /** Builds a request. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public @Nullable String attribute(String name) {
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i].equals(name)) {
                return pairs[i + 1];
            }
        }
        return null;
    }

    /** The number of permits it asks for. */
    public long cost() {
        return cost;
    }

    /** All attributes, in the order given. */
    public Map<String, String> attributes() {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            attributes.put(pairs[i], pairs[i + 1]);
        }
        return attributes;
    }

    /** The same request with another attribute. */
    Request with(String name, String value) {
        String[] more = Arrays.copyOf(pairs, pairs.length + 2);
        more[pairs.length] = name;
        more[pairs.length + 1] = value;
        return new Request(more, cost);
    }

    @Override
    public String toString() {
        return "Request" + attributes() + (cost == 1 ? "" : " for " + cost);
    }

    /** Builds a request. It is for one thread. */
    public static final class Builder {
        private String[] pairs = new String[12];
        private int length;
        private long cost = 1;

        private Builder() {}

        /**
         * Adds an attribute.
         *
         * @throws IllegalArgumentException if it has been given already, if there are too many, or if it is too long
         */
        public Builder with(String name, String value) {
            if (length == 2 * MAX_ATTRIBUTES) {
                throw new IllegalArgumentException("a request has at most " + MAX_ATTRIBUTES + " attributes");
            }
            if (name.isEmpty() || name.length() > MAX_NAME) {
                throw new IllegalArgumentException(
                        "the name of an attribute has 1 to " + MAX_NAME + " characters, was " + Quoted.quoted(name));
            }
            if (value.length() > MAX_VALUE) {
                throw new IllegalArgumentException("the value of an attribute has at most " + MAX_VALUE
                        + " characters, that of " + name + " had " + value.length());
            }
            String lower = name.toLowerCase(Locale.ROOT);
            for (int i = 0; i < length; i += 2) {
                if (pairs[i].equals(lower)) {
                    throw new IllegalArgumentException("attribute " + Quoted.quoted(lower) + " was given twice: "
                            + Quoted.quoted(pairs[i + 1]) + " and " + Quoted.quoted(value));
                }
            }
            if (length == pairs.length) {
                pairs = Arrays.copyOf(pairs, 2 * length);
            }
            pairs[length++] = lower;
            pairs[length++] = Attributes.normalized(lower, value);
            return this;
        }

        /** The number of permits the request asks for. Default: 1. */
        public Builder cost(long cost) {
            if (cost < 0) {
                throw new IllegalArgumentException("cost must be 0 or more, was " + cost);
            }
            this.cost = cost;
            return this;
        }

        public Request build() {
            return new Request(Arrays.copyOf(pairs, length), cost);
        }
    }
}
