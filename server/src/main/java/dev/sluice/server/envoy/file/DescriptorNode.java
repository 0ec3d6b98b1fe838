package dev.sluice.server.envoy.file;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One descriptor of a file, with those nested in it.
 *
 * @param value the value that it applies to; empty for any value
 * @param wildcard the same if the value has a {@code *}
 * @param sharedThreshold whether all values that match the wildcard share one counter
 */
record DescriptorNode(
        String key,
        String value,
        @Nullable Wildcard wildcard,
        boolean sharedThreshold,
        boolean valueToMetric,
        @Nullable DescriptorLimit limit,
        Level below) {

    /** Whether this entry is the same for all requests that match it, and so no part of the counter's key. */
    boolean fixed() {
        return sharedThreshold || (wildcard == null && !value.isEmpty());
    }

    /** This entry's part of the metric's name, for a request with the value {@code actual}. */
    String metric(String actual) {
        String shown = valueToMetric && !fixed() ? actual : value;
        return shown.isEmpty() ? key : key + "_" + shown;
    }

    /** The descriptors of one list, found by the key and value of an entry. */
    record Level(Map<String, Choice> byKey) {
        static final Level EMPTY = new Level(Map.of());

        static Level of(List<DescriptorNode> nodes) {
            Map<String, Choice> byKey = new LinkedHashMap<>();
            nodes.stream()
                    .collect(Collectors.groupingBy(DescriptorNode::key))
                    .forEach((key, same) -> byKey.put(key, Choice.of(same)));
            return new Level(Map.copyOf(byKey));
        }

        boolean isEmpty() {
            return byKey.isEmpty();
        }

        /** Passes on each limit, also of the descriptors below. */
        void limits(Consumer<DescriptorLimit> limits) {
            byKey.values()
                    .forEach(choice -> choice.nodes().forEach(node -> {
                        DescriptorLimit limit = node.limit();
                        if (limit != null) {
                            limits.accept(limit);
                        }
                        node.below().limits(limits);
                    }));
        }

        /** The most specific one: by value, else the first wildcard of the file, else the one for any value. */
        @Nullable
        DescriptorNode find(String key, String value) {
            Choice choice = byKey.get(key);
            return choice == null ? null : choice.find(value);
        }
    }

    /** The descriptors of one list that have one key. */
    record Choice(
            Map<String, DescriptorNode> byValue,
            List<DescriptorNode> wildcards,
            @Nullable DescriptorNode any) {
        static Choice of(List<DescriptorNode> nodes) {
            Map<String, DescriptorNode> byValue = new LinkedHashMap<>();
            nodes.stream().filter(node -> !node.value().isEmpty()).forEach(node -> byValue.put(node.value(), node));
            return new Choice(
                    Map.copyOf(byValue),
                    nodes.stream().filter(node -> node.wildcard() != null).toList(),
                    nodes.stream()
                            .filter(node -> node.value().isEmpty())
                            .findFirst()
                            .orElse(null));
        }

        Stream<DescriptorNode> nodes() {
            return Stream.concat(byValue.values().stream(), Stream.ofNullable(any));
        }

        @Nullable
        DescriptorNode find(String value) {
            DescriptorNode exact = byValue.get(value);
            if (exact != null) {
                return exact;
            }
            for (DescriptorNode node : wildcards) {
                Wildcard wildcard = node.wildcard();
                if (wildcard != null && wildcard.matches(value)) {
                    return node;
                }
            }
            return any;
        }
    }

    /** A value in which each {@code *} matches any number of characters. */
    record Wildcard(String text, List<String> parts) {
        static boolean is(String value) {
            return value.indexOf('*') >= 0;
        }

        static Wildcard of(String text) {
            return new Wildcard(text, List.of(text.split("\\*", -1)));
        }

        /** Whether the parts are in {@code value} in their order: the first at its start, the last at its end. */
        boolean matches(String value) {
            String first = parts.get(0);
            String last = parts.get(parts.size() - 1);
            int end = value.length() - last.length();
            if (!value.startsWith(first) || first.length() > end || !value.endsWith(last)) {
                return false;
            }
            int at = first.length();
            for (String part : parts.subList(1, parts.size() - 1)) {
                int found = value.indexOf(part, at);
                if (found < 0 || found + part.length() > end) {
                    return false;
                }
                at = found + part.length();
            }
            return true;
        }
    }
}
