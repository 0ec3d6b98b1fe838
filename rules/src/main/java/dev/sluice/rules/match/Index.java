package dev.sluice.rules.match;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds which of many sets of conditions a request meets, comparing it with few of them.
 *
 * <p><b>How is it designed, and why?</b> Each set is indexed under one of its conditions: the one that it shares with the
 * fewest others. Ten thousand rules on {@code POST}, each for another user, are indexed under the user, and a request
 * finds the one for its user in a hash table. Patterns with wildcards are in a trie by their prefix or suffix, networks in
 * a trie by their bits. Where many sets share even that condition, they are indexed once more among themselves, under
 * another one. The sets that are found are then compared in full, so a node may hold too many but never too few.
 *
 * <pre>
 *   user   -> alice -> [3]
 *             bob   -> [7]            a request of bob's for /api/x
 *   path   -> /api  -> method -> ...  visits these two nodes, and the rest
 *   the rest: [0, 12]
 * </pre>
 */
public final class Index {
    /** So few sets are compared one by one. */
    private static final int MAX_UNINDEXED = 4;

    private static final int MAX_DEPTH = 4;

    private final Condition[][] sets;
    private final CompiledCondition[][] compiled;
    private final IndexNode root;

    private Index(Condition[][] sets) {
        this.sets = sets;
        this.compiled = Arrays.stream(sets)
                .map(set -> Arrays.stream(set).map(CompiledCondition::new).toArray(CompiledCondition[]::new))
                .toArray(CompiledCondition[][]::new);
        this.root = node(IntStream.range(0, sets.length).boxed().toList(), List.of());
    }

    /** An index of these sets of conditions. */
    public static Index of(List<List<Condition>> sets) {
        return new Index(sets.stream().map(set -> set.toArray(Condition[]::new)).toArray(Condition[][]::new));
    }

    /** The sets that the attributes meet, in their order. */
    public Matches find(Attributes request) {
        Matches matches = new Matches(compiled, request);
        root.find(matches);
        matches.sort();
        return matches;
    }

    /** A node of these sets, all of which are indexed under the attributes {@code used} already. */
    private IndexNode node(List<Integer> ids, List<String> used) {
        if (ids.size() <= MAX_UNINDEXED || used.size() == MAX_DEPTH) {
            return new IndexNode(ids, Map.of());
        }
        boolean single = !used.isEmpty();
        Map<IndexEntry.Term, Integer> frequencies = new HashMap<>();
        for (int id : ids) {
            for (IndexEntry entry : IndexEntry.all(sets[id], used, single)) {
                entry.terms().forEach(term -> frequencies.merge(term, 1, Integer::sum));
            }
        }
        List<Integer> rest = new ArrayList<>();
        Map<IndexEntry.Term, List<Integer>> byTerm = new LinkedHashMap<>();
        for (int id : ids) {
            IndexEntry rarest = IndexEntry.rarest(IndexEntry.all(sets[id], used, single), frequencies);
            if (rarest == null) {
                rest.add(id);
            } else {
                rarest.terms()
                        .forEach(term -> byTerm.computeIfAbsent(term, unseen -> new ArrayList<>())
                                .add(id));
            }
        }
        return new IndexNode(rest, byAttribute(byTerm, used));
    }

    private Map<String, AttributeIndex> byAttribute(Map<IndexEntry.Term, List<Integer>> byTerm, List<String> used) {
        Map<String, AttributeIndex> indexes = new LinkedHashMap<>();
        byTerm.forEach((term, ids) -> {
            List<String> deeper = new ArrayList<>(used);
            deeper.add(term.attribute());
            indexes.computeIfAbsent(term.attribute(), unseen -> new AttributeIndex())
                    .add(term, node(ids, deeper));
        });
        return indexes;
    }

    /** The sets under one term: some to be compared one by one, others indexed by further attributes. */
    static final class IndexNode {
        /** A node without sets, which marks that there is one. */
        static final IndexNode EMPTY = new IndexNode(List.of(), Map.of());

        private final int[] ids;
        private final String[] attributes;
        private final AttributeIndex[] indexes;

        IndexNode(List<Integer> ids, Map<String, AttributeIndex> indexes) {
            this.ids = ids.stream().mapToInt(Integer::intValue).toArray();
            this.attributes = indexes.keySet().toArray(String[]::new);
            this.indexes = indexes.values().toArray(AttributeIndex[]::new);
        }

        void find(Matches matches) {
            for (int id : ids) {
                matches.compare(id);
            }
            for (int i = 0; i < indexes.length; i++) {
                String value = matches.request().attribute(attributes[i]);
                if (value != null) {
                    indexes[i].find(value, matches);
                }
            }
        }
    }

    /** The nodes of one attribute, by term. */
    static final class AttributeIndex {
        private final Map<String, IndexNode> values = new HashMap<>();
        private final TextTrie prefixes = new TextTrie(TextTrie.Direction.FORWARD);
        private final TextTrie suffixes = new TextTrie(TextTrie.Direction.BACKWARD);
        private @Nullable NetworkTrie networks;

        void add(IndexEntry.Term term, IndexNode node) {
            switch (term.kind()) {
                case VALUE -> values.put(term.text(), node);
                case PREFIX -> prefixes.put(term.text(), node);
                case SUFFIX -> suffixes.put(term.text(), node);
                case NETWORK -> {
                    Network network = Objects.requireNonNull(term.network());
                    networks = NetworkTrie.with(networks, network, node);
                }
            }
        }

        void find(String value, Matches matches) {
            IndexNode exact = values.isEmpty() ? null : values.get(value);
            if (exact != null) {
                exact.find(matches);
            }
            prefixes.find(value, matches);
            suffixes.find(value, matches);
            Address address = networks == null ? null : Address.parse(value);
            if (address != null && networks != null) {
                networks.find(address, matches);
            }
        }
    }
}
