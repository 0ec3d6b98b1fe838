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
 * Finds which of many sets of conditions hold of a request, looking at few of them.
 *
 * <p><b>How is it designed, and why?</b> Each set is filed under one of its conditions: the one that it shares with the
 * fewest others. Ten thousand rules on {@code POST}, each for a user of its own, are filed under the user, and a request
 * finds the one for its user in a hash table. Patterns with wildcards are filed in a trie under the text they begin or end
 * with, networks in a trie of their bits. Where many share even that, they are filed once more among themselves, under
 * another condition. What is found is then compared in full, so a drawer may hold too much but never too little.
 *
 * <pre>
 *   user   -> alice -> [3]
 *             bob   -> [7]            a request of bob's for /api/x
 *   path   -> /api  -> method -> ...  looks into these two, and into the rest
 *   the rest: [0, 12]
 * </pre>
 */
public final class Index {
    private static final int FEW = 4;
    private static final int DEEPEST = 4;

    private final Condition[][] sets;
    private final CompiledCondition[][] compared;
    private final IndexNode root;

    private Index(Condition[][] sets) {
        this.sets = sets;
        this.compared = Arrays.stream(sets)
                .map(set -> Arrays.stream(set).map(CompiledCondition::new).toArray(CompiledCondition[]::new))
                .toArray(CompiledCondition[][]::new);
        this.root = drawer(IntStream.range(0, sets.length).boxed().toList(), List.of());
    }

    public static Index of(List<List<Condition>> sets) {
        return new Index(sets.stream().map(set -> set.toArray(Condition[]::new)).toArray(Condition[][]::new));
    }

    /** Those that hold of {@code request}, in order. */
    public Matches find(Attributes request) {
        Matches matches = new Matches(compared, request);
        root.find(matches);
        matches.sort();
        return matches;
    }

    /** A drawer of these, all of which are filed under the attributes {@code used} already. */
    private IndexNode drawer(List<Integer> ids, List<String> used) {
        if (ids.size() <= FEW || used.size() == DEEPEST) {
            return new IndexNode(ids, Map.of());
        }
        boolean single = !used.isEmpty();
        Map<IndexEntry.Place, Integer> crowds = new HashMap<>();
        for (int id : ids) {
            for (IndexEntry filing : IndexEntry.all(sets[id], used, single)) {
                filing.places().forEach(place -> crowds.merge(place, 1, Integer::sum));
            }
        }
        List<Integer> rest = new ArrayList<>();
        Map<IndexEntry.Place, List<Integer>> filed = new LinkedHashMap<>();
        for (int id : ids) {
            IndexEntry best = IndexEntry.least(IndexEntry.all(sets[id], used, single), crowds);
            if (best == null) {
                rest.add(id);
            } else {
                best.places()
                        .forEach(place -> filed.computeIfAbsent(place, unseen -> new ArrayList<>())
                                .add(id));
            }
        }
        return new IndexNode(rest, sorters(filed, used));
    }

    private Map<String, AttributeIndex> sorters(Map<IndexEntry.Place, List<Integer>> filed, List<String> used) {
        Map<String, AttributeIndex> sorters = new LinkedHashMap<>();
        filed.forEach((place, ids) -> {
            List<String> deeper = new ArrayList<>(used);
            deeper.add(place.attribute());
            sorters.computeIfAbsent(place.attribute(), unseen -> new AttributeIndex())
                    .add(place, drawer(ids, deeper));
        });
        return sorters;
    }

    /** What is filed under one place: some by themselves, others by further attributes. */
    public static final class IndexNode {
        /** One with nothing in it, as a mark. */
        static final IndexNode EMPTY = new IndexNode(List.of(), Map.of());

        private final int[] ids;
        private final String[] attributes;
        private final AttributeIndex[] sorters;

        IndexNode(List<Integer> ids, Map<String, AttributeIndex> sorters) {
            this.ids = ids.stream().mapToInt(Integer::intValue).toArray();
            this.attributes = sorters.keySet().toArray(String[]::new);
            this.sorters = sorters.values().toArray(AttributeIndex[]::new);
        }

        void find(Matches matches) {
            for (int id : ids) {
                matches.compare(id);
            }
            for (int i = 0; i < sorters.length; i++) {
                String value = matches.request().attribute(attributes[i]);
                if (value != null) {
                    sorters[i].find(value, matches);
                }
            }
        }
    }

    /** The drawers of one attribute. */
    static final class AttributeIndex {
        private final Map<String, IndexNode> values = new HashMap<>();
        private final TextTrie beginnings = new TextTrie(TextTrie.Way.FORWARD);
        private final TextTrie ends = new TextTrie(TextTrie.Way.BACKWARD);
        private @Nullable NetworkTrie networks;

        void add(IndexEntry.Place place, IndexNode drawer) {
            switch (place.kind()) {
                case VALUE -> values.put(place.text(), drawer);
                case BEGINNING -> beginnings.put(place.text(), drawer);
                case END -> ends.put(place.text(), drawer);
                case NETWORK -> {
                    Network network = Objects.requireNonNull(place.network());
                    networks = NetworkTrie.with(networks, network, drawer);
                }
            }
        }

        void find(String value, Matches matches) {
            IndexNode exact = values.isEmpty() ? null : values.get(value);
            if (exact != null) {
                exact.find(matches);
            }
            beginnings.find(value, matches);
            ends.find(value, matches);
            Address address = networks == null ? null : Address.parse(value);
            if (address != null && networks != null) {
                networks.find(address, matches);
            }
        }
    }
}
