package dev.sluice.rules.match;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One way to file a set of conditions: under everything that one of its conditions allows.
 *
 * @param places where a request that the condition holds of is sure to find it
 */
record IndexEntry(List<Place> places) {
    /** What a place goes by. */
    enum Kind {
        VALUE,
        BEGINNING,
        END,
        NETWORK
    }

    /** A place: the value of an attribute, what it begins or ends with, or the network it lies in. */
    record Place(
            String attribute,
            Kind kind,
            String text,
            @Nullable Network network) {}

    /** The ways to file {@code conditions} by attributes not {@code used}; if {@code single}, under one place only. */
    static List<IndexEntry> all(Condition[] conditions, List<String> used, boolean single) {
        List<IndexEntry> all = new ArrayList<>();
        for (Condition condition : conditions) {
            int places = condition.any().size();
            if (places > 0 && !used.contains(condition.attribute()) && !(single && places > 1)) {
                add(all, condition, Kind.BEGINNING);
                if (condition.any().stream().anyMatch(Glob.class::isInstance)) {
                    add(all, condition, Kind.END);
                }
            }
        }
        return all;
    }

    private static void add(List<IndexEntry> all, Condition condition, Kind globs) {
        Set<Place> places = new LinkedHashSet<>();
        for (Pattern pattern : condition.any()) {
            Place place = place(condition.attribute(), pattern, globs);
            if (place == null) {
                return;
            }
            places.add(place);
        }
        all.add(new IndexEntry(List.copyOf(places)));
    }

    private static @Nullable Place place(String attribute, Pattern pattern, Kind globs) {
        if (pattern instanceof Pattern.Exact exact) {
            return new Place(attribute, Kind.VALUE, exact.value(), null);
        }
        if (pattern instanceof Pattern.In in) {
            return new Place(attribute, Kind.NETWORK, "", in.network());
        }
        Glob glob = (Glob) pattern;
        String text = globs == Kind.BEGINNING ? glob.prefix() : glob.suffix();
        return text.isEmpty() ? null : new Place(attribute, globs, text, null);
    }

    /** The one with the smallest crowd at its places; null if there is none. */
    static @Nullable IndexEntry least(List<IndexEntry> filings, Map<Place, Integer> crowds) {
        IndexEntry best = null;
        int least = Integer.MAX_VALUE;
        for (IndexEntry filing : filings) {
            int crowd = filing.places.stream()
                    .mapToInt(place -> crowds.getOrDefault(place, 0))
                    .max()
                    .orElse(0);
            if (crowd < least) {
                best = filing;
                least = crowd;
            }
        }
        return best;
    }
}
