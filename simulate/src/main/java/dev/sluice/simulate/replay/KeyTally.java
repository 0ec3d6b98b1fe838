package dev.sluice.simulate.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What became of the requests of each key of a rule.
 *
 * <p>The number of keys is bounded. Beyond the bound the half that was hit least is dropped: the keys that are shown are
 * those that were hit most, so that little is lost, and {@link #isComplete} says so.
 */
final class KeyTally {
    private static final int MAX_KEYS = 200_000;
    private static final long MINUTE = 60_000_000;
    private static final int RATES = 40;
    private static final Comparator<Map.Entry<String, Counts>> HIT_MOST = Comparator.comparingLong(
                    (Map.Entry<String, Counts> entry) -> entry.getValue().stopped)
            .thenComparingLong(entry -> entry.getValue().waited)
            .thenComparingLong(entry -> entry.getValue().requests)
            .reversed()
            .thenComparing(Map.Entry::getKey);

    /** The counts of one key. */
    static final class Counts {
        long requests;
        long stopped;
        long waited;
        private long minute = Long.MIN_VALUE;
        private long inMinute;
        private long stoppedInMinute;
        private long mostInMinute;

        private void tick(long atMicros) {
            long now = Math.max(minute, Math.floorDiv(atMicros, MINUTE));
            if (now != minute) {
                minute = now;
                inMinute = 0;
                stoppedInMinute = 0;
            }
        }

        void requested(long atMicros) {
            tick(atMicros);
            requests++;
            mostInMinute = Math.max(mostInMinute, ++inMinute);
        }

        /** Returns how many were stopped in the same minute. */
        long stopped(long atMicros) {
            tick(atMicros);
            stopped++;
            return ++stoppedInMinute;
        }
    }

    private final Map<String, Counts> counts = new HashMap<>();
    private final long[] keysByRate = new long[RATES];
    private final long[] hitByRate = new long[RATES];
    private long droppedKeys;
    private long droppedHit;

    Counts of(String key) {
        Counts found = counts.get(key);
        if (found != null) {
            return found;
        }
        if (counts.size() == MAX_KEYS) {
            drop();
        }
        Counts added = new Counts();
        counts.put(key, added);
        return added;
    }

    private void drop() {
        List<Map.Entry<String, Counts>> all = new ArrayList<>(counts.entrySet());
        all.sort(HIT_MOST);
        for (Map.Entry<String, Counts> entry : all.subList(MAX_KEYS / 2, all.size())) {
            counts.remove(entry.getKey());
            droppedKeys++;
            droppedHit += entry.getValue().stopped > 0 ? 1 : 0;
            rate(entry.getValue(), keysByRate, hitByRate);
        }
    }

    private static void rate(Counts each, long[] keys, long[] hit) {
        int slot = Math.min(RATES - 1, Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, each.mostInMinute)));
        keys[slot]++;
        hit[slot] += each.stopped > 0 ? 1 : 0;
    }

    /** Whether no key was dropped. */
    boolean isComplete() {
        return droppedKeys == 0;
    }

    long keys() {
        return counts.size() + droppedKeys;
    }

    long hit() {
        return droppedHit
                + counts.values().stream().filter(each -> each.stopped > 0).count();
    }

    /** The keys that were hit most. */
    List<RuleResult.Key> top(int most) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue().stopped > 0 || entry.getValue().waited > 0)
                .sorted(HIT_MOST)
                .limit(most)
                .map(entry -> new RuleResult.Key(
                        entry.getKey(),
                        entry.getValue().requests,
                        entry.getValue().stopped,
                        entry.getValue().waited,
                        entry.getValue().mostInMinute))
                .toList();
    }

    /** How many keys there are of each rate. */
    List<RuleResult.Rate> rates() {
        long[] keys = keysByRate.clone();
        long[] hit = hitByRate.clone();
        counts.values().forEach(each -> rate(each, keys, hit));
        List<RuleResult.Rate> rates = new ArrayList<>();
        for (int i = 0; i < RATES; i++) {
            if (keys[i] > 0) {
                rates.add(new RuleResult.Rate(1L << i, keys[i], hit[i]));
            }
        }
        return rates;
    }
}
