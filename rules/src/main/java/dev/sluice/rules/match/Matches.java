package dev.sluice.rules.match;

import java.util.Arrays;

/** The indexed sets of conditions that a request meets, in order, and how many were compared to find them. */
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

    /** Adds set {@code id} if the request meets it. */
    void compare(int id) {
        compared++;
        for (CompiledCondition condition : sets[id]) {
            if (!condition.matches(request.attribute(condition.attribute))) {
                return;
            }
        }
        if (count == found.length) {
            found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = id;
    }

    /** Sorts them and removes duplicates. */
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

    /** The number of sets of conditions that were compared in full. */
    int comparisons() {
        return compared;
    }
}
