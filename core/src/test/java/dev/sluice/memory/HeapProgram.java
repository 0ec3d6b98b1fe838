package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Store;
import dev.sluice.StoreUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Fills a store, in a JVM of its own, and prints what became of it. */
final class HeapProgram {
    private HeapProgram() {}

    public static void main(String[] args) {
        switch (args[0]) {
            case "flood" -> flood(limit(args[1]), Integer.parseInt(args[2]));
            case "keys" -> keys(limit(args[1]), Integer.parseInt(args[2]));
            default -> limiters(Integer.parseInt(args[2]));
        }
    }

    static Limit limit(String name) {
        Duration day = Duration.ofDays(1);
        return switch (name) {
            case "token-bucket" -> Limit.tokenBucket(10, day);
            case "fixed-window" -> Limit.fixedWindow(10, day);
            case "sliding-window" -> Limit.slidingWindow(10, day, 60);
            case "sliding-window-3600" -> Limit.slidingWindow(10, day, 3600);
            case "sliding-log" -> Limit.slidingLog(1000, day);
            default -> Limit.concurrency(10);
        };
    }

    /** More keys than there is memory for, each several times: prints what is left of a key that came before. */
    private static void flood(Limit limit, int keys) {
        Store store = Store.local();
        Limiter limiter = store.limiter("flooded", limit);
        long before = limiter.decide("before", 5).remaining();
        for (int i = 0; i < keys; i++) {
            limiter.decide(key(i), 1 + i % 3);
            limiter.peek("looked-at-" + i);
        }
        StoreUsage usage = store.usage();
        System.out.println("kept=" + (limiter.peek("before", 0).remaining() <= before));
        System.out.println("within=" + (usage.bytes() <= usage.maxBytes() + 2000));
        System.out.println("atBound=" + (usage.atBound() > 0));
    }

    /** Prints the heap that a key takes, and the heap that it is said to take, in bytes. */
    private static void keys(Limit limit, int keys) {
        Store store = Store.builder().maxBytes(Long.MAX_VALUE).build();
        Limiter limiter = store.limiter("keys", limit);
        limiter.decide("first");
        long heapBefore = usedHeap();
        long saidBefore = store.usage().bytes();
        for (int i = 0; i < keys; i++) {
            limiter.decide(key(i));
        }
        print(usedHeap() - heapBefore, store.usage().bytes() - saidBefore, keys);
    }

    /** The same of a limiter that is used without keys, or with one. */
    private static void limiters(int count) {
        Store store = Store.builder().maxBytes(Long.MAX_VALUE).build();
        List<Limiter> warm = new ArrayList<>(List.of(store.limiter("warm", Limit.tokenBucket(10, Duration.ofDays(1)))));
        warm.get(0).tryAcquire("key");
        long heapBefore = usedHeap();
        long saidBefore = store.usage().bytes();
        for (int i = 0; i < count; i++) {
            Limiter limiter = store.limiter("limiter-" + i, Limit.tokenBucket(10, Duration.ofDays(1)));
            limiter.tryAcquire();
        }
        print(usedHeap() - heapBefore, store.usage().bytes() - saidBefore, count);
    }

    private static void print(long heap, long said, int count) {
        System.out.println("heap=" + heap / count);
        System.out.println("said=" + said / count);
    }

    private static String key(int number) {
        return String.format("user:%059d", number);
    }

    private static long usedHeap() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            runtime.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
