package dev.sluice.server.envoy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One descriptor of a file, with those nested in it.
 *
 * @param value the value it is for; empty when for any
 * @param wildcard the value when it has a {@code *}
 * @param sharedThreshold whether all values that match the wildcard count as one
 */
record Branch(
        String key,
        String value,
        @Nullable Wildcard wildcard,
        boolean sharedThreshold,
        boolean valueToMetric,
        @Nullable Quota quota,
        Level below) {

    /** Whether the counter is one for all requests that come this way, as far as this entry goes. */
    boolean fixed() {
        return sharedThreshold || (wildcard == null && !value.isEmpty());
    }

    /** This entry's part of the metric, for a request with the value {@code actual}. */
    String metric(String actual) {
        String shown = valueToMetric && !fixed() ? actual : value;
        return shown.isEmpty() ? key : key + "_" + shown;
    }

    /** The descriptors of one list, found by the key and value of an entry. */
    record Level(Map<String, Choice> byKey) {
        static final Level EMPTY = new Level(Map.of());

        static Level of(List<Branch> branches) {
            Map<String, Choice> byKey = new LinkedHashMap<>();
            branches.stream()
                    .collect(Collectors.groupingBy(Branch::key))
                    .forEach((key, same) -> byKey.put(key, Choice.of(same)));
            return new Level(Map.copyOf(byKey));
        }

        boolean isEmpty() {
            return byKey.isEmpty();
        }

        /** The most specific: by value, else the first wildcard of the file, else for any value. */
        @Nullable
        Branch find(String key, String value) {
            Choice choice = byKey.get(key);
            return choice == null ? null : choice.find(value);
        }
    }

    /** The descriptors of one list that have one key. */
    record Choice(
            Map<String, Branch> byValue,
            List<Branch> wildcards,
            @Nullable Branch any) {
        static Choice of(List<Branch> branches) {
            Map<String, Branch> byValue = new LinkedHashMap<>();
            branches.stream()
                    .filter(branch -> !branch.value().isEmpty())
                    .forEach(branch -> byValue.put(branch.value(), branch));
            return new Choice(
                    Map.copyOf(byValue),
                    branches.stream()
                            .filter(branch -> branch.wildcard() != null)
                            .toList(),
                    branches.stream()
                            .filter(branch -> branch.value().isEmpty())
                            .findFirst()
                            .orElse(null));
        }

        @Nullable
        Branch find(String value) {
            Branch exact = byValue.get(value);
            if (exact != null) {
                return exact;
            }
            for (Branch branch : wildcards) {
                Wildcard wildcard = branch.wildcard();
                if (wildcard != null && wildcard.matches(value)) {
                    return branch;
                }
            }
            return any;
        }
    }
}
