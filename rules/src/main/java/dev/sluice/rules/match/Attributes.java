package dev.sluice.rules.match;

import org.jspecify.annotations.Nullable;

/** The attributes of a request, by name in lower case. */
public interface Attributes {
    String IP = "ip";
    String PATH = "path";
    String PRIORITY = "priority";
    String REGION = "region";

    /** The value of an attribute, or null if the request has none of that name. */
    @Nullable
    String attribute(String name);

    /** The one form of a value in which conditions compare it: the canonical address, the normalized path. */
    static String normalized(String name, String value) {
        if (name.equals(IP) && value.indexOf(':') >= 0) {
            Address address = Address.parseHost(value);
            return address == null ? value : address.toString();
        }
        return name.equals(PATH) ? RequestPath.normalized(value) : value;
    }
}
