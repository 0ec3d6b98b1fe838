package dev.sluice.rules.engine;

import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.match.Address;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.PathOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the key of a rule from the attributes of a request, and reads it back.
 *
 * <p>The values are joined by {@code |}; a {@code |} or a backslash within a value has a backslash before it, and
 * {@code \-} stands for an attribute that is not there. A long value is replaced by its start and its digest. So different
 * values never make the same key.
 */
final class KeyFormat {
    private static final char SEPARATOR = '|';
    private static final char ESCAPE = '\\';
    private static final String ABSENT = "\\-";

    /** About the largest number of characters in a key, so that it fits a token and a URL with it. */
    private static final int MAX_KEY = 1024;

    private static final int MIN_VALUE = 128;
    private static final int DIGEST_BYTES = 32;

    private final String[] attributes;
    private final Rule.MissingKey missingKey;
    private final int ipv6Prefix;
    private final PathOptions paths;
    /** The largest number of characters of a value in the key. */
    private final int maxValue;

    KeyFormat(Rule rule, PathOptions paths) {
        this.paths = paths;
        this.attributes = rule.key().toArray(String[]::new);
        this.maxValue = Math.max(MIN_VALUE, MAX_KEY / Math.max(1, attributes.length));
        this.missingKey = rule.missingKey();
        this.ipv6Prefix = rule.ipv6Prefix();
    }

    /** The key of a request; null if the request lacks an attribute of it. */
    @Nullable
    String of(Request request) {
        if (attributes.length == 0) {
            return "";
        }
        if (attributes.length == 1) {
            return part(attributes[0], request);
        }
        StringBuilder key = new StringBuilder();
        for (int i = 0; i < attributes.length; i++) {
            String part = part(attributes[i], request);
            if (part == null) {
                return null;
            }
            if (i > 0) {
                key.append(SEPARATOR);
            }
            key.append(part);
        }
        return key.toString();
    }

    /** Whether the rule denies a request for what it lacks. */
    boolean denies(Request request) {
        if (missingKey != Rule.MissingKey.DENY) {
            return false;
        }
        for (String attribute : attributes) {
            String value = request.attribute(attribute);
            if (value == null || (attribute.equals(Attributes.IP) && value.equals(Attributes.INVALID_IP))) {
                return true;
            }
        }
        return false;
    }

    /** The first attribute that a request would need for a key and lacks. */
    @Nullable
    String missing(Request request) {
        for (String attribute : attributes) {
            if (part(attribute, request) == null) {
                return attribute;
            }
        }
        return null;
    }

    private @Nullable String part(String attribute, Request request) {
        String value = request.attribute(attribute);
        if (value == null) {
            return missingKey == Rule.MissingKey.SKIP ? null : ABSENT;
        }
        return switch (attribute) {
            case Attributes.IP -> escaped(grouped(value));
            case Attributes.PATH -> escaped(shortened(paths.key(value)));
            default -> escaped(shortened(value));
        };
    }

    /**
     * The network of an IPv6 address, since a client that has one address of it usually has them all; the address of
     * version 4 if it stands for one.
     */
    private String grouped(String ip) {
        Address address = ip.indexOf(':') < 0 ? null : Address.parse(ip);
        if (address == null) {
            return ip;
        }
        Address embedded = address.embeddedV4();
        if (embedded != null) {
            return embedded.toString();
        }
        return ipv6Prefix == 128 ? ip : address.masked(ipv6Prefix) + "/" + ipv6Prefix;
    }

    /** A long value as its start and its digest, so that different values stay different. */
    private String shortened(String value) {
        if (value.length() <= maxValue) {
            return value;
        }
        int start = maxValue - 1 - 2 * DIGEST_BYTES;
        start -= Character.isHighSurrogate(value.charAt(start - 1)) ? 1 : 0;
        return value.substring(0, start) + "~" + Digest.of(value, DIGEST_BYTES);
    }

    private static String escaped(String value) {
        if (value.indexOf(SEPARATOR) < 0 && value.indexOf(ESCAPE) < 0) {
            return value;
        }
        return value.replace("\\", "\\\\").replace("|", "\\|");
    }

    /** A request of cost 0 with the attributes of a key; null if the text is not a key of this rule. */
    @Nullable
    Request request(String key) {
        List<@Nullable String> values = parts(key);
        if (attributes.length == 0) {
            return key.isEmpty() ? Request.builder().cost(0).build() : null;
        }
        if (values == null || values.size() != attributes.length) {
            return null;
        }
        Request.Builder request = Request.builder().cost(0);
        for (int i = 0; i < attributes.length; i++) {
            String value = values.get(i);
            if (value != null) {
                request.withNormalized(attributes[i], addressOf(attributes[i], value));
            }
        }
        return request.build();
    }

    private static String addressOf(String attribute, String value) {
        int slash = value.indexOf('/');
        boolean network = attribute.equals(Attributes.IP) && slash > 0 && value.indexOf(':') >= 0;
        return network ? value.substring(0, slash) : value;
    }

    private static @Nullable List<@Nullable String> parts(String key) {
        List<@Nullable String> values = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        boolean absent = false;
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (c == SEPARATOR) {
                values.add(absent ? null : value.toString());
                value.setLength(0);
                absent = false;
            } else if (c == ESCAPE) {
                char next = ++i < key.length() ? key.charAt(i) : ' ';
                if (next == '-') {
                    absent = true;
                } else if (next == ESCAPE || next == SEPARATOR) {
                    value.append(next);
                } else {
                    return null;
                }
            } else {
                value.append(c);
            }
        }
        values.add(absent ? null : value.toString());
        return values;
    }
}
