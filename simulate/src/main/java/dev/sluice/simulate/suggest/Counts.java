package dev.sluice.simulate.suggest;

import java.util.Map;
import java.util.TreeMap;

/** How many clients have which number. */
final class Counts {
    private final TreeMap<Long, Long> clients = new TreeMap<>();
    private long total;

    void add(long number) {
        clients.merge(number, 1L, Long::sum);
        total++;
    }

    void addAll(Counts others) {
        others.clients.forEach((number, count) -> clients.merge(number, count, Long::sum));
        total += others.total;
    }

    /** How many clients there are. */
    long total() {
        return total;
    }

    /** How many clients have more than a number. */
    long above(long number) {
        return clients.tailMap(number, false).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** The smallest number, from 1 on, that at most {@code mayBeAbove} clients exceed. */
    long smallest(long mayBeAbove) {
        long above = 0;
        for (Map.Entry<Long, Long> entry : clients.descendingMap().entrySet()) {
            above += entry.getValue();
            if (above > mayBeAbove) {
                return Math.max(1, entry.getKey());
            }
        }
        return 1;
    }

    /** The largest number; 0 if there is none. */
    long largest() {
        return clients.isEmpty() ? 0 : clients.lastKey();
    }
}
