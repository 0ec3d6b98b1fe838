package dev.sluice.rules.match;

import dev.sluice.text.Quoted;
import java.util.Locale;

/** A pattern for the value of an attribute. */
public sealed interface Pattern permits Glob, Pattern.Exact, Pattern.In {
    /** Whether {@code value} matches. */
    boolean matches(String value);

    /**
     * Reads a pattern of a rule file: a network such as {@code 198.51.100.0/24}, a glob if it has a {@code *} or
     * {@code ?}, and else the value itself. A backslash before one of these characters makes it an ordinary one.
     */
    static Pattern parse(String attribute, String text) {
        Network network = text.indexOf('/') >= 0 || attribute.equals(Attributes.IP) ? Network.parse(text) : null;
        if (network != null) {
            return new In(network);
        }
        Glob glob = Glob.parse(attribute.equals(Attributes.HOST) ? text.toLowerCase(Locale.ROOT) : text);
        if (attribute.equals(Attributes.PATH) && !glob.isLiteral()) {
            String decoded = RequestPath.decodedSegments(text);
            if (!decoded.equals(text)) {
                throw new IllegalArgumentException("would never match: paths are compared in their normal form, "
                        + Quoted.quoted(decoded) + ", was " + Quoted.quoted(text));
            }
        }
        return glob.isLiteral() ? new Exact(Attributes.normalized(attribute, glob.literal())) : glob;
    }

    /** This value alone. */
    record Exact(String value) implements Pattern {
        @Override
        public boolean matches(String other) {
            return value.equals(other);
        }

        @Override
        public String toString() {
            return value;
        }
    }

    /** Every address of a network. */
    record In(Network network) implements Pattern {
        @Override
        public boolean matches(String value) {
            Address address = Address.parse(value);
            return address != null && network.contains(address);
        }

        @Override
        public String toString() {
            return network.bits() == 128 ? network.first().toString() : network.toString();
        }
    }
}
