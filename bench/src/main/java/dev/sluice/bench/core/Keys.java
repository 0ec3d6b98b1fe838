package dev.sluice.bench.core;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Keys as a server sees them, made once, an order that no cache can guess, and limiters filled with them. */
public final class Keys {
    /** The property for another number of keys than a million, for a smoke test. */
    static final String COUNT_PROPERTY = "sluice.bench.keys";

    private static final int DEFAULT_COUNT = 1_000_000;

    private Keys() {}

    static int count() {
        return Integer.getInteger(COUNT_PROPERTY, DEFAULT_COUNT);
    }

    public static String[] create(int count) {
        String[] keys = new String[count];
        for (int i = 0; i < count; i++) {
            keys[i] = "user:" + (100_000_000 + i);
        }
        return keys;
    }

    public static int[] shuffledOrder(int count) {
        Random random = new Random(42);
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }

    /** What a user of a limiter without keys writes: a map of limiters. */
    static <T> Map<String, T> mapOf(String[] keys, Supplier<T> limiter) {
        Map<String, T> map = new ConcurrentHashMap<>();
        for (String key : keys) {
            map.put(key, limiter.get());
        }
        return map;
    }

    /** A limiter that has allowed one call for each key. */
    static Limiter sluice(String[] keys, Limit... limits) {
        Limiter limiter = Limiter.local(limits);
        for (String key : keys) {
            Expect.allowed(limiter.tryAcquire(key));
        }
        return limiter;
    }
}
