package dev.sluice.rules.file;

import dev.sluice.rules.match.Attributes;
import dev.sluice.text.DidYouMean;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Warns of names of attributes that nothing sets. Callers may send attributes of any name, so that a name which is not
 * known is no mistake by itself; one that is nearly the name of a known attribute is likely to be.
 */
public final class AttributeNames {
    private static final String HEADER = "header.";
    private static final String NO_HEADER = "; expected the name of a header, as in header.x-api-key";
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
            where.warn("nothing sets the attribute 'header.'" + NO_HEADER);
        } else if (!isKnown(attribute, KNOWN)) {
            String hint = hint(attribute, KNOWN);
            if (!hint.isEmpty()) {
                where.warn("nothing sets the attribute '" + attribute + "' unless a caller sends it" + hint);
            }
        }
    }

    /** A warning of an attribute that is neither a header nor one of those that are known; null if it is. */
    public static @Nullable String unknown(String attribute, Collection<String> known) {
        if (isKnown(attribute, known)) {
            return null;
        }
        String hint = attribute.equals(HEADER) ? NO_HEADER : hint(attribute, known);
        boolean likeAHeader = hint.isEmpty() && attribute.indexOf('-') > 0;
        return "nothing sets the attribute '" + attribute + "'"
                + (likeAHeader ? "; did you mean '" + HEADER + attribute + "'?" : hint);
    }

    private static boolean isKnown(String attribute, Collection<String> known) {
        return known.contains(attribute) || (attribute.startsWith(HEADER) && !attribute.equals(HEADER));
    }

    private static String hint(String attribute, Collection<String> known) {
        int dot = attribute.indexOf('.');
        return dot > 0
                ? DidYouMean.hint(attribute.substring(0, dot + 1), List.of(HEADER))
                : DidYouMean.hint(attribute, known);
    }
}
