package dev.sluice.bench.core;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Store;
import dev.sluice.StoreUsage;
import dev.sluice.bench.report.Programs;
import java.time.Duration;
import java.util.List;

/**
 * Law 14 as a program: offers distinct keys of 64 characters to a limiter of each algorithm, each in a small JVM of its
 * own, and says what became of the memory and of a key that came before the flood.
 */
public final class MemoryFlood {
    /** The algorithms, by the names that the program takes. */
    public static final List<String> ALGORITHMS =
            List.of("token-bucket", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log", "concurrency");

    private static final int MAX_SECONDS = 7200;
    private static final int QUARTERS = 4;
    private static final Duration PERIOD = Duration.ofHours(1);
    private static final long PERMITS = 10;
    private static final long USED_BEFORE = 4;
    private static final int KEY_LENGTH = 64;
    /** The heap may differ by this much between the quarters: garbage that was not collected, and tables that grow. */
    private static final double FLAT = 1.25;

    private long clockNanos;
    private boolean passed = true;

    private MemoryFlood() {}

    /** Runs one algorithm in a JVM of its own; the lines that it printed. */
    public static String fork(String algorithm, String heap, long keys) {
        return Programs.output(
                Programs.java(
                        List.of("-Xmx" + heap, "-XX:+UseSerialGC"),
                        MemoryFlood.class.getName(),
                        algorithm,
                        Long.toString(keys)),
                MAX_SECONDS);
    }

    /** Arguments: the algorithm, and the number of keys. */
    public static void main(String[] args) {
        if (!new MemoryFlood().run(args[0], Long.parseLong(args[1]))) {
            System.exit(1);
        }
    }

    private static Limit limit(String algorithm) {
        return switch (algorithm) {
            case "token-bucket" -> Limit.tokenBucket(PERMITS, PERIOD);
            case "leaky-bucket" -> Limit.leakyBucket(PERMITS, PERIOD);
            case "fixed-window" -> Limit.fixedWindow(PERMITS, PERIOD);
            case "sliding-window" -> Limit.slidingWindow(PERMITS, PERIOD, 3600);
            case "sliding-log" -> Limit.slidingLog(PERMITS, PERIOD);
            case "concurrency" -> Limit.concurrency(PERMITS);
            default -> throw new IllegalArgumentException("no algorithm " + algorithm + "; there is " + ALGORITHMS);
        };
    }

    private boolean run(String algorithm, long keys) {
        Store store = Store.local(() -> clockNanos);
        Limiter limiter = store.limiter(algorithm, limit(algorithm));
        Decision before = limiter.decide("sample", USED_BEFORE);
        long[] heap = new long[QUARTERS];
        long began = System.nanoTime();
        for (int quarter = 0; quarter < QUARTERS; quarter++) {
            for (long i = keys * quarter / QUARTERS; i < keys * (quarter + 1) / QUARTERS; i++) {
                limiter.decide(key(i));
            }
            heap[quarter] = usedHeap();
        }
        long seconds = (System.nanoTime() - began) / 1_000_000_000;
        StoreUsage usage = store.usage();
        System.out.printf(
                "%s: %,d keys offered in %,d s, %,d with a counter of their own, %,d decisions at the bound%n",
                algorithm, keys, seconds, usage.keys(), usage.atBound());
        System.out.printf(
                "%s: %,d of at most %,d bytes; heap after each quarter, MB: %d %d %d %d%n",
                algorithm, usage.bytes(), usage.maxBytes(), heap[0] >> 20, heap[1] >> 20, heap[2] >> 20, heap[3] >> 20);
        tell(algorithm, "the counters are within the bound", usage.bytes() <= usage.maxBytes());
        tell(algorithm, "the heap is flat", heap[QUARTERS - 1] <= heap[0] * FLAT);
        long after = admitted(limiter, "sample");
        System.out.printf("%s: a key admitted %d before the flood, %d after it%n", algorithm, USED_BEFORE, after);
        tell(algorithm, "the flood reset no key, and locked none out", after == PERMITS - USED_BEFORE);
        recover(algorithm, limiter, before);
        return passed;
    }

    /** After the flood and a period, a new key has the whole limit. Of what is held nobody releases anything here. */
    private void recover(String algorithm, Limiter limiter, Decision before) {
        if (algorithm.equals("concurrency")) {
            limiter.release("sample", before);
            tell(
                    algorithm,
                    "a released permit is free",
                    limiter.peek("sample", 0).remaining() == USED_BEFORE);
            return;
        }
        clockNanos += PERIOD.multipliedBy(2).toNanos();
        for (int i = 0; i < 100_000; i++) {
            limiter.tryAcquire("regular");
            clockNanos += 1_000_000;
        }
        tell(algorithm, "a new key has the whole limit a period later", admitted(limiter, "new") == PERMITS);
    }

    private static long admitted(Limiter limiter, String key) {
        long admitted = 0;
        while (limiter.decide(key).allowed()) {
            admitted++;
        }
        return admitted;
    }

    private void tell(String algorithm, String promise, boolean kept) {
        System.out.println((kept ? "PASS " : "FAIL ") + algorithm + ": " + promise);
        passed &= kept;
    }

    private static String key(long number) {
        String digits = Long.toString(number);
        return "k".repeat(KEY_LENGTH - digits.length()) + digits;
    }

    private static long usedHeap() {
        Runtime runtime = Runtime.getRuntime();
        runtime.gc();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
