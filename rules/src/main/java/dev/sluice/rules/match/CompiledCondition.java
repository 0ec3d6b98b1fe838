package dev.sluice.rules.match;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A condition that is compared in about the same time however long its lists are. */
final class CompiledCondition {
    final String attribute;
    private final @Nullable AnyOf any;
    private final @Nullable AnyOf none;

    CompiledCondition(Condition condition) {
        this.attribute = condition.attribute();
        this.any = condition.any().isEmpty() ? null : new AnyOf(condition.any());
        this.none = condition.none().isEmpty() ? null : new AnyOf(condition.none());
    }

    /** Whether a value meets the condition; null stands for an attribute that is not there. */
    boolean matches(@Nullable String value) {
        if (value == null) {
            return any == null;
        }
        return (any == null || any.matches(value)) && (none == null || !none.matches(value));
    }

    /** Several patterns: the plain values in a set, the networks in a trie. */
    private static final class AnyOf {
        private final Set<String> values = new HashSet<>();
        private final Pattern[] others;
        private final @Nullable NetworkTrie networks;

        AnyOf(List<Pattern> patterns) {
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

        boolean matches(String value) {
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
