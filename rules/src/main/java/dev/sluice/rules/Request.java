package dev.sluice.rules;

import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.PathForms;
import dev.sluice.text.Quoted;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request: its attributes, by name in lower case, and its cost in permits.
 *
 * <p>Three attributes are normalized, so that another spelling does not escape a rule: {@code ip} becomes the canonical
 * address (without a port), {@code host} loses its port and is in lower case, and {@code path} is read in
 * {@linkplain PathForms every form} in which a server may route it. Conditions see a value in full, however long it is; in
 * a key a long value is replaced by its start and its digest.
 */
public final class Request implements Attributes {
    /** The largest number of attributes of one request. */
    public static final int MAX_ATTRIBUTES = 64;

    /** The largest number of characters in the name of an attribute. */
    public static final int MAX_NAME = 128;

    /** Name, value, name, value. */
    private final String[] pairs;

    private final long cost;
    /** Null if the path has one form, or if there is none. */
    private final @Nullable PathForms forms;

    private final @Nullable String sentPath;

    private Request(String[] pairs, long cost, @Nullable PathForms forms, @Nullable String sentPath) {
        this.pairs = pairs;
        this.cost = cost;
        this.forms = forms;
        this.sentPath = sentPath;
    }

    /** A request with these attributes that asks for {@code cost} permits; 0 takes nothing. */
    public static Request of(Map<String, String> attributes, long cost) {
        Builder builder = builder().cost(cost);
        attributes.forEach(builder::with);
        return builder.build();
    }

    /** A request with so many of these names and values, which are normalized. */
    static Request of(String[] pairs, int length, long cost, @Nullable PathForms forms, @Nullable String sentPath) {
        return new Request(length == pairs.length ? pairs : Arrays.copyOf(pairs, length), cost, forms, sentPath);
    }

    /** The form of a path that stands in the attribute. */
    static String firstForm(String path, @Nullable PathForms read) {
        return read == null ? path : read.all().get(0);
    }

    /** The forms of a path, if there is more to them than the first. */
    static @Nullable PathForms severalForms(@Nullable PathForms read) {
        return read == null || (read.complete() && read.all().size() == 1) ? null : read;
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

    /** The path in every form in which a server may route it; none if there is no path. */
    public List<String> paths() {
        String path = attribute(PATH);
        return forms != null ? forms.all() : path == null ? List.of() : List.of(path);
    }

    /** The path as it was sent, from which {@link #paths} were read; null if there is none. */
    public @Nullable String sentPath() {
        return sentPath;
    }

    /** Whether {@link #paths} has only the value of the attribute. */
    public boolean hasOnePath() {
        return forms == null;
    }

    /** Whether {@link #paths} has all forms: a path that was made to be misread has too many. */
    public boolean isPathReadable() {
        return forms == null || forms.complete();
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
    public Request with(String name, String value) {
        String[] more = Arrays.copyOf(pairs, pairs.length + 2);
        more[pairs.length] = name;
        more[pairs.length + 1] = value;
        return new Request(more, cost, forms, sentPath);
    }

    /** The same request with one form of its path. */
    public Request withPath(String path) {
        String[] same = pairs.clone();
        for (int i = 0; i < same.length; i += 2) {
            if (same[i].equals(PATH)) {
                same[i + 1] = path;
            }
        }
        return new Request(same, cost, null, path);
    }

    @Override
    public String toString() {
        return "Request" + attributes() + (cost == 1 ? "" : " for " + cost);
    }

    /** Builds a request. It is for one thread. */
    public static final class Builder {
        /** Room for the four attributes that nearly every request has. */
        private String[] pairs = new String[8];

        private int length;
        private long cost = 1;
        private @Nullable PathForms forms;
        private @Nullable String sentPath;

        private Builder() {}

        /**
         * Adds an attribute.
         *
         * @throws IllegalArgumentException if it has been given already, if there are too many, or if its name is too long
         */
        public Builder with(String name, String value) {
            String lower = inLowerCase(name);
            if (!lower.equals(PATH)) {
                return add(lower, Attributes.normalized(lower, value));
            }
            PathForms read = PathForms.of(value);
            sentPath = value;
            forms = severalForms(read);
            return add(lower, firstForm(value, read));
        }

        /** Nearly every name is in lower case already, and looking takes a fifth of the time that changing does. */
        private static String inLowerCase(String name) {
            for (int i = 0; i < name.length(); i++) {
                char letter = name.charAt(i);
                if (letter > 127 || (letter >= 'A' && letter <= 'Z')) {
                    return name.toLowerCase(Locale.ROOT);
                }
            }
            return name;
        }

        /** Adds an attribute in the form in which it stands in a key. */
        public Builder withNormalized(String name, String value) {
            return add(name, value);
        }

        private Builder add(String lower, String value) {
            if (length == 2 * MAX_ATTRIBUTES) {
                throw new IllegalArgumentException("a request has at most " + MAX_ATTRIBUTES + " attributes");
            }
            if (lower.isEmpty() || lower.length() > MAX_NAME) {
                throw new IllegalArgumentException(
                        "the name of an attribute has 1 to " + MAX_NAME + " characters, was " + Quoted.quoted(lower));
            }
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
            pairs[length++] = value;
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
            return Request.of(pairs, length, cost, forms, sentPath); // a full array is not written to any more
        }
    }
}
