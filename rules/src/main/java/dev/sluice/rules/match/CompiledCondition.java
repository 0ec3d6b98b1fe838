package dev.sluice.rules.match;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A condition made ready: however long its lists are, comparing takes about as long as with one. */
final class CompiledCondition {
    final String attribute;
    private final @Nullable Choice any;
    private final @Nullable Choice none;

    CompiledCondition(Condition condition) {
        this.attribute = condition.attribute();
        this.any = condition.any().isEmpty() ? null : new Choice(condition.any());
        this.none = condition.none().isEmpty() ? null : new Choice(condition.none());
    }

    /** Whether the condition holds of a value; null if there is none. */
    boolean holds(@Nullable String value) {
        if (value == null) {
            return any == null;
        }
        return (any == null || any.has(value)) && (none == null || !none.has(value));
    }

    /** Several patterns, the plain values in a set and the networks in a trie. */
    private static final class Choice {
        private final Set<String> values = new HashSet<>();
        private final Pattern[] others;
        private final @Nullable NetworkTrie networks;

        Choice(List<Pattern> patterns) {
            List<Pattern> rest = new ArrayList<>();
            NetworkTrie trie = null;
            for (Pattern pattern : patterns) {
                if (pattern instanceof Pattern.Exact exact) {
                    values.add(exact.value());
                } else if (pattern instanceof Pattern.In in) {
                    trie = NetworkTrie.with(trie, in.network(), Index.IndexNode.EMPTY);
                } else {
                    rest.add(pattern);
                }
            }
            this.others = rest.toArray(Pattern[]::new);
            this.networks = trie;
        }

        boolean has(String value) {
            if (!values.isEmpty() && values.contains(value)) {
                return true;
            }
            for (Pattern other : others) {
                if (other.matches(value)) {
                    return true;
                }
            }
            Address address = networks == null ? null : Address.parse(value);
            return address != null && networks != null && networks.contains(address);
        }
    }
}
