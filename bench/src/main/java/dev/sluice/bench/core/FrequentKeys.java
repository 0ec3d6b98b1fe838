package dev.sluice.bench.core;

import dev.sluice.hotkeys.HotKeys;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Counting keys that come by Zipf's law: the second key half as often as the first, the third a third as often. The map is
 * what one writes without a library. It counts since the start, has no window, and grows with the keys.
 */
public class FrequentKeys {
    private static final int DRAWS = 1 << 20;

    /** The keys in the order in which they come, and what counts them. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // set before it is measured
    public static class Subject {
        @Param({"100000"})
        public int keys;

        String[] order;
        HotKeys hotKeys;
        ConcurrentHashMap<String, LongAdder> map;

        @Setup
        public void draw() {
            String[] names = Keys.create(keys);
            int[] places = Keys.shuffledOrder(keys); // so that frequent keys are not neighbours
            double[] sums = new double[keys];
            double sum = 0;
            for (int rank = 0; rank < keys; rank++) {
                sum += 1.0 / (rank + 1);
                sums[rank] = sum;
            }
            Random random = new Random(42);
            order = new String[DRAWS];
            for (int i = 0; i < DRAWS; i++) {
                int found = Arrays.binarySearch(sums, random.nextDouble() * sum);
                order[i] = names[places[Math.min(keys - 1, found < 0 ? -found - 1 : found)]];
            }
            hotKeys = HotKeys.over(1000, Duration.ofSeconds(1));
            map = new ConcurrentHashMap<>();
        }
    }

    /** Where a thread is in the order. */
    @State(Scope.Thread)
    public static class Cursor {
        private int position = ThreadLocalRandom.current().nextInt(DRAWS);

        String next(Subject subject) {
            position = (position + 1) & (DRAWS - 1);
            return subject.order[position];
        }
    }

    @Benchmark
    public void floorMapAdder(Cursor cursor, Subject subject) {
        String key = cursor.next(subject);
        LongAdder count = subject.map.get(key);
        if (count == null) {
            count = subject.map.computeIfAbsent(key, unused -> new LongAdder());
        }
        count.increment();
    }

    @Benchmark
    public void recordedSluice(Cursor cursor, Subject subject) {
        subject.hotKeys.record(cursor.next(subject));
    }
}
