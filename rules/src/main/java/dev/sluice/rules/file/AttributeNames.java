package dev.sluice.rules.file;

import dev.sluice.rules.match.Attributes;
import dev.sluice.text.DidYouMean;
import java.util.List;

/**
 * Warns of names of attributes that nothing sets. Callers may send attributes of any name, so that a name which is not
 * known is no mistake by itself; one that is nearly the name of a known attribute is likely to be.
 */
final class AttributeNames {
    private static final String HEADER = "header.";
    private static final String STATUS = "status";
    private static final List<String> KNOWN = List.of(
            Attributes.IP,
            Attributes.PATH,
            Attributes.METHOD,
            Attributes.HOST,
            Attributes.REGION,
            Attributes.PRIORITY,
            "user",
            "device",
            "domain",
            "remote_address");

    private AttributeNames() {}

    /** Adds a warning if an attribute is one that nothing sets. */
    static void check(String attribute, YamlValue where) {
        if (attribute.equals(STATUS)) {
            where.warn("only the filters of Spring know the attribute 'status'; in the server the rule never applies");
        } else if (attribute.equals(HEADER)) {
            where.warn("nothing sets the attribute 'header.'; expected the name of a header, as in header.x-api-key");
        } else if (!KNOWN.contains(attribute) && !attribute.startsWith(HEADER)) {
            int dot = attribute.indexOf('.');
            String hint = dot > 0
                    ? DidYouMean.hint(attribute.substring(0, dot + 1), List.of(HEADER))
                    : DidYouMean.hint(attribute, KNOWN);
            if (!hint.isEmpty()) {
                where.warn("nothing sets the attribute '" + attribute + "' unless a caller sends it" + hint);
            }
        }
    }
}
