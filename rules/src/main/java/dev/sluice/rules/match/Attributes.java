package dev.sluice.rules.match;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The attributes of a request, by name in lower case. */
public interface Attributes {
    String IP = "ip";
    String PATH = "path";
    String HOST = "host";
    String METHOD = "method";
    String PRIORITY = "priority";
    String REGION = "region";

    /** The value of an attribute, or null if the request has none of that name. */
    @Nullable
    String attribute(String name);

    /** The value of {@code ip} for everything that is no address, so that all of it shares one counter. */
    String INVALID_IP = "invalid";

    /**
     * The one form of a value in which conditions compare it: the canonical address, the host without a port and in lower
     * case, the path as it is written in rules. A path of a request may have {@linkplain PathForms several forms}.
     */
    static String normalized(String name, String value) {
        return switch (name) {
            case IP -> ip(value);
            case HOST -> host(value);
            case PATH -> RequestPath.normalized(value);
            default -> value;
        };
    }

    private static String ip(String value) {
        String address = AddressText.canonical(value);
        return address == null ? INVALID_IP : address;
    }

    private static String host(String value) {
        int colon = value.lastIndexOf(':');
        boolean hasPort = colon > 0
                && (value.charAt(colon - 1) == ']' || value.indexOf(':') == colon)
                && AddressText.isPort(value, colon);
        int end = hasPort ? colon : value.length();
        if (end > 1 && value.charAt(end - 1) == '.') {
            end--;
        }
        return value.substring(0, end).toLowerCase(Locale.ROOT);
    }
}
