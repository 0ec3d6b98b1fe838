package dev.sluice.rules;

import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.PathForms;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests that have the same attributes, one after another. A value that came lately is not normalized again. It is
 * for one thread.
 *
 * <p>This pays where most values are strings that came before, and not only equal ones, as from a reader of logs.
 */
public final class RequestTemplate {
    private final String[] names;
    private final @Nullable Normalized[] normalized;

    /**
     * Requests with these attributes.
     *
     * @throws IllegalArgumentException if there are too many, if one is named twice, or if a name is too long
     */
    public RequestTemplate(List<String> names) {
        Request.Builder like = Request.builder();
        names.forEach(name -> like.with(name, ""));
        this.names = like.build().attributes().keySet().toArray(String[]::new);
        this.normalized = new @Nullable Normalized[this.names.length];
        for (int i = 0; i < this.names.length; i++) {
            normalized[i] = switch (this.names[i]) {
                case Attributes.IP, Attributes.HOST, Attributes.PATH -> new Normalized(this.names[i]);
                default -> null;
            };
        }
    }

    /**
     * A request for {@code cost} permits.
     *
     * @param values the value of each attribute, by its place among the names; null if the request has none
     */
    public Request request(long cost, IntFunction<@Nullable String> values) {
        String[] pairs = new String[2 * names.length];
        PathForms forms = null;
        String sentPath = null;
        int length = 0;
        for (int i = 0; i < names.length; i++) {
            String value = values.apply(i);
            if (value != null) {
                Normalized of = normalized[i];
                int place = of == null ? 0 : of.place(value);
                pairs[length++] = names[i];
                pairs[length++] = of == null ? value : of.values[place];
                forms = of == null || of.forms[place] == null ? forms : of.forms[place];
                sentPath = names[i].equals(Attributes.PATH) ? value : sentPath;
            }
        }
        return Request.of(pairs, length, cost, forms, sentPath);
    }

    /** The normal forms of the values of one attribute that came lately, each at the place of its hash. */
    private static final class Normalized {
        private static final int SIZE = 1 << 15;
        /** Longer values share one place, so that the memory is bounded. */
        private static final int MAX_KEPT = 256;

        final String name;
        final @Nullable String[] given = new @Nullable String[SIZE];
        final String[] values = new String[SIZE];
        final @Nullable PathForms[] forms = new @Nullable PathForms[SIZE];

        Normalized(String name) {
            this.name = name;
        }

        /** Where the normal form of a value stands. */
        @SuppressWarnings("ReferenceEquality") // an equal value is soon found to have the same form
        int place(String value) {
            int hash = value.hashCode();
            int place = value.length() > MAX_KEPT ? 0 : (hash ^ hash >>> 16) & SIZE - 1;
            if (given[place] != value) {
                PathForms read = name.equals(Attributes.PATH) ? PathForms.of(value) : null;
                values[place] = name.equals(Attributes.PATH)
                        ? Request.firstForm(value, read)
                        : Attributes.normalized(name, value);
                forms[place] = Request.severalForms(read);
                given[place] = value;
            }
            return place;
        }
    }
}
