package dev.sluice.rules.match;

import java.util.Arrays;

/** Which of the indexed sets of conditions hold of a request, in order, and what finding them took. */
public final class Matches {
    private final CompiledCondition[][] sets;
    private final Attributes request;
    private int[] found = new int[4];
    private int count;
    private int compared;

    Matches(CompiledCondition[][] sets, Attributes request) {
        this.sets = sets;
        this.request = request;
    }

    Attributes request() {
        return request;
    }

    /** Notes set {@code id} if it holds. */
    void compare(int id) {
        compared++;
        for (CompiledCondition comparison : sets[id]) {
            if (!comparison.holds(request.attribute(comparison.attribute))) {
                return;
            }
        }
        if (count == found.length) {
            found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = id;
    }

    /** Puts them in order, each once. */
    void sort() {
        if (count < 2) {
            return;
        }
        Arrays.sort(found, 0, count);
        int kept = 1;
        for (int i = 1; i < count; i++) {
            if (found[i] != found[kept - 1]) {
                found[kept++] = found[i];
            }
        }
        count = kept;
    }

    public int count() {
        return count;
    }

    public int get(int index) {
        return found[index];
    }

    /** How many sets of conditions were compared in full. */
    int comparisons() {
        return compared;
    }
}
