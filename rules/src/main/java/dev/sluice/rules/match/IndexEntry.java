package dev.sluice.rules.match;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One way to index a set of conditions: under every value that one of its conditions allows.
 *
 * @param terms the terms to index it under; every request that meets the condition matches one of them
 */
record IndexEntry(List<Term> terms) {
    /** How a term is compared with the value of its attribute. */
    enum Kind {
        VALUE,
        PREFIX,
        SUFFIX,
        NETWORK
    }

    /** The value of an attribute, its prefix or suffix, or the network that it lies in. */
    record Term(
            String attribute,
            Kind kind,
            String text,
            @Nullable Network network) {}

    /** The ways to index {@code conditions} by attributes not yet {@code used}; if {@code single}, under one term only. */
    static List<IndexEntry> all(Condition[] conditions, List<String> used, boolean single) {
        List<IndexEntry> all = new ArrayList<>();
        for (Condition condition : conditions) {
            int terms = condition.any().size();
            if (terms > 0 && !used.contains(condition.attribute()) && !(single && terms > 1)) {
                add(all, condition, Kind.PREFIX);
                if (condition.any().stream().anyMatch(Glob.class::isInstance)) {
                    add(all, condition, Kind.SUFFIX);
                }
            }
        }
        return all;
    }

    private static void add(List<IndexEntry> all, Condition condition, Kind globs) {
        Set<Term> terms = new LinkedHashSet<>();
        for (Pattern pattern : condition.any()) {
            Term term = term(condition.attribute(), pattern, globs);
            if (term == null) {
                return;
            }
            terms.add(term);
        }
        all.add(new IndexEntry(List.copyOf(terms)));
    }

    private static @Nullable Term term(String attribute, Pattern pattern, Kind globs) {
        if (pattern instanceof Pattern.Exact exact) {
            return new Term(attribute, Kind.VALUE, exact.value(), null);
        }
        if (pattern instanceof Pattern.In in) {
            return new Term(attribute, Kind.NETWORK, "", in.network());
        }
        Glob glob = (Glob) pattern;
        String text = globs == Kind.PREFIX ? glob.prefix() : glob.suffix();
        return text.isEmpty() ? null : new Term(attribute, globs, text, null);
    }

    /** The entry whose most frequent term is the rarest; null if there is none. */
    static @Nullable IndexEntry rarest(List<IndexEntry> entries, Map<Term, Integer> frequencies) {
        IndexEntry best = null;
        int least = Integer.MAX_VALUE;
        for (IndexEntry entry : entries) {
            int frequency = entry.terms.stream()
                    .mapToInt(term -> frequencies.getOrDefault(term, 0))
                    .max()
                    .orElse(0);
            if (frequency < least) {
                best = entry;
                least = frequency;
            }
        }
        return best;
    }
}
