package dev.sluice.rules;

import java.util.List;

/** Finds which of many sets of conditions hold of a request. */
final class Index {
    private final List<List<Condition>> sets;

    private Index(List<List<Condition>> sets) {
        this.sets = sets;
    }

    static Index of(List<List<Condition>> sets) {
        return new Index(List.copyOf(sets));
    }

    /** Those that hold of {@code request}, in order. */
    Matches find(Request request) {
        Matches matches = new Matches();
        for (int i = 0; i < sets.size(); i++) {
            matches.compared();
            if (holds(sets.get(i), request)) {
                matches.add(i);
            }
        }
        return matches;
    }

    private static boolean holds(List<Condition> conditions, Request request) {
        for (int i = 0; i < conditions.size(); i++) {
            Condition condition = conditions.get(i);
            if (!condition.holds(request.attribute(condition.attribute()))) {
                return false;
            }
        }
        return true;
    }
}
