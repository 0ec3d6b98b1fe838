package dev.sluice.client;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request that somebody wants to make, as the rules of the server see it: attributes, and how many permits it takes.
 *
 * <pre>{@code
 * Check login = Check.of("ip", "203.0.113.9").with("path", "/login").with("method", "POST");
 * }</pre>
 */
public final class Check {
    private static final int MAX_ATTRIBUTES = 64;
    private static final int MAX_NAME = 128;
    private static final long MAX_COST = 1L << 53;
    private static final Duration MAX_LEASE = Duration.ofDays(1);
    private static final int MAX_SHOWN = 60;

    private final Map<String, String> attributes;
    private final long cost;
    private final @Nullable Duration lease;
    private final Duration waitUpTo;

    private Check(Map<String, String> attributes, long cost, @Nullable Duration lease, Duration waitUpTo) {
        this.attributes = attributes;
        this.cost = cost;
        this.lease = lease;
        this.waitUpTo = waitUpTo;
    }

    /** A check with one attribute that takes one permit. */
    public static Check of(String name, String value) {
        return of(Map.of()).with(name, value);
    }

    /** A check with these attributes that takes one permit. */
    public static Check of(Map<String, String> attributes) {
        Map<String, String> all = new LinkedHashMap<>();
        attributes.forEach((name, value) -> add(all, name, value));
        return new Check(Collections.unmodifiableMap(all), 1, null, Duration.ZERO);
    }

    /**
     * The same with another attribute.
     *
     * @throws IllegalArgumentException if it is there already, if there are 64, or if its name is empty or longer than 128
     *     characters
     */
    public Check with(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(attributes);
        add(all, name, value);
        return new Check(Collections.unmodifiableMap(all), cost, lease, waitUpTo);
    }

    /** The same for this many permits; 0 takes nothing and shows the state. */
    public Check cost(long permits) {
        if (permits < 0 || permits > MAX_COST) {
            throw new IllegalArgumentException("cost must be from 0 to " + MAX_COST + ", was " + permits);
        }
        return new Check(attributes, permits, lease, waitUpTo);
    }

    /**
     * The same with a lease: the time after which permits of a concurrency limit free themselves. Without one it is the
     * rule's, or a minute.
     */
    public Check lease(Duration time) {
        if (time.toMillis() < 1 || time.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("lease must be from PT0.001S to " + MAX_LEASE + ", was " + time);
        }
        return new Check(attributes, cost, time, waitUpTo);
    }

    /**
     * The same for a rule that makes requests wait ({@code on-exceed: wait up to 2s}): the server may take this much longer
     * than the timeout of the client.
     */
    public Check waitUpTo(Duration time) {
        if (time.isNegative() || time.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("waitUpTo must be from PT0S to " + MAX_LEASE + ", was " + time);
        }
        return new Check(attributes, cost, lease, time);
    }

    private static void add(Map<String, String> all, String name, String value) {
        String lower =
                Objects.requireNonNull(name, "the name of an attribute is null").toLowerCase(Locale.ROOT);
        Objects.requireNonNull(value, () -> "attribute " + quoted(name) + " is null");
        if (lower.isEmpty() || lower.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "the name of an attribute has 1 to " + MAX_NAME + " characters, was " + quoted(name));
        }
        if (all.size() == MAX_ATTRIBUTES && !all.containsKey(lower)) {
            throw new IllegalArgumentException(
                    "a check has at most " + MAX_ATTRIBUTES + " attributes, " + quoted(name) + " is one more");
        }
        String before = all.putIfAbsent(lower, value);
        if (before != null) {
            throw new IllegalArgumentException(
                    "attribute " + quoted(lower) + " was given twice: " + quoted(before) + " and " + quoted(value));
        }
    }

    private static String quoted(String text) {
        return "'" + (text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…") + "'";
    }

    public Map<String, String> attributes() {
        return attributes;
    }

    public long cost() {
        return cost;
    }

    Duration waitUpTo() {
        return waitUpTo;
    }

    /** Writes the check as the server reads it. */
    void write(StringBuilder json) {
        json.append("{\"attributes\":{");
        String comma = "";
        for (Map.Entry<String, String> attribute : attributes.entrySet()) {
            json.append(comma);
            Json.write(json, attribute.getKey());
            json.append(':');
            Json.write(json, attribute.getValue());
            comma = ",";
        }
        json.append("},\"cost\":").append(cost);
        if (lease != null) {
            json.append(",\"leaseMs\":").append(lease.toMillis());
        }
        json.append('}');
    }

    /** Several checks as a list. */
    static String list(List<Check> checks) {
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < checks.size(); i++) {
            checks.get(i).write(i == 0 ? json : json.append(','));
        }
        return json.append(']').toString();
    }

    @Override
    public String toString() {
        return "Check" + attributes + (cost == 1 ? "" : " for " + cost);
    }
}
