package dev.sluice.bench.core;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.bench.report.Measurements;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One measurement of retained heap, made in a JVM of its own: {@code main} takes the name of a probe and prints its
 * figures as {@code name=value} lines.
 *
 * <p>Why the used heap after full collections and not a walk over objects: the walk (JOL) needs to guess the layout
 * where the JVM does not let it look, takes minutes on a million keys, and misses what hangs on threads and statics.
 * With the serial collector the used heap after {@code System.gc()} is exact, and a million keys make whatever else
 * moves invisible.
 */
@SuppressWarnings({"ImmutableEnumChecker", "JdkObsolete"
}) // the functions hold nothing; a LinkedList is what is measured
enum MemoryProbe {
    KEYS_MAP(Kind.KEYS, "floor: map + AtomicLong", keys -> Keys.mapOf(keys, AtomicLong::new)),
    KEYS_TOKEN_BUCKET(
            Kind.KEYS,
            "sluice token bucket",
            keys -> Keys.sluice(keys, Limiters.limits(Contender.TOKEN_BUCKET, Supply.SLOW))),
    KEYS_FIXED_WINDOW(
            Kind.KEYS,
            "sluice fixed window",
            keys -> Keys.sluice(keys, Limiters.limits(Contender.FIXED_WINDOW, Supply.SLOW))),
    KEYS_SLIDING_WINDOW(
            Kind.KEYS,
            "sluice sliding window, 10 slices",
            keys -> Keys.sluice(keys, Limit.slidingWindow(100, Supply.DAY))),
    KEYS_SLIDING_LOG(
            Kind.KEYS,
            "sluice sliding log, 1 entry of 100",
            keys -> Keys.sluice(keys, Limit.slidingLog(100, Supply.DAY))),
    KEYS_GUAVA(Kind.KEYS, "guava", keys -> Keys.mapOf(keys, () -> Limiters.guava(Supply.SLOW))),
    KEYS_BUCKET4J(
            Kind.KEYS, "bucket4j", keys -> Keys.mapOf(keys, () -> Limiters.bucket4j(Contender.BUCKET4J, Supply.SLOW))),
    KEYS_RESILIENCE4J(Kind.KEYS, "resilience4j", keys -> Keys.mapOf(keys, () -> Limiters.resilience4j(Supply.SLOW))),

    LOG_SLUICE(Kind.LOG, "sluice sliding log", MemoryProbe::sluiceLogs),
    LOG_ARRAY_DEQUE(Kind.LOG, "ArrayDeque<Long>", keys -> logs(keys, ArrayDeque::new)),
    LOG_LINKED_LIST(Kind.LOG, "LinkedList<Long>", keys -> logs(keys, LinkedList::new)),

    IDLE_TOKEN_BUCKET(Kind.IDLE, "sluice token bucket", keys -> keys);

    /** What is measured. */
    enum Kind {
        /** Bytes per key, without the key. */
        KEYS,
        /** Bytes per log of a thousand. */
        LOG,
        /** What is left of ten million keys once they are idle. */
        IDLE
    }

    static final String BYTES = "bytes";
    static final String EMPTY = "empty";
    static final String PEAK = "peak";
    static final String AFTER = "after";
    static final String CALLS = "calls";

    /** When the idle probe gives up. */
    private static final int MAX_CALLS = 50_000_000;

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int CALLS_PER_STEP = 1000;
    private static final int FIRST_CHECK = 100_000;
    private static final int ONE_OFF_KEYS = 10_000_000;
    private static final int BUSY_KEYS = 16;
    private static final int LOGS = 1000;

    final Kind kind;
    final String label;
    private final Function<String[], Object> filling;

    MemoryProbe(Kind kind, String label, Function<String[], Object> filling) {
        this.kind = kind;
        this.label = label;
        this.filling = filling;
    }

    @Override
    public String toString() {
        return switch (kind) {
                    case KEYS -> "memory per key, ";
                    case LOG -> "memory of a log, ";
                    case IDLE -> "memory gone idle, ";
                }
                + label;
    }

    static List<MemoryProbe> of(Kind kind) {
        return Arrays.stream(values()).filter(probe -> probe.kind == kind).toList();
    }

    /** Measures in a JVM of its own, so that it does not see what another left behind. */
    String fork(Measurements figures) {
        Map<String, Long> measured = Forks.figures(MemoryProbe.class, name());
        measured.forEach((figure, value) -> figures.add(this, figure, value));
        return measured.toString();
    }

    public static void main(String[] args) {
        valueOf(args[0]).measure().forEach((name, value) -> System.out.println(name + "=" + value));
    }

    Map<String, Long> measure() {
        return switch (kind) {
            case KEYS -> Map.of(BYTES, retainedPerKey(Keys.count()));
            case LOG -> Map.of(BYTES, retainedPerKey(LOGS));
            case IDLE -> idle(ONE_OFF_KEYS);
        };
    }

    /** What is measured, in use for every one of {@code keys}. */
    Object fill(String[] keys) {
        return filling.apply(keys);
    }

    /** Bytes that {@link #fill} retains for each of {@code count} keys, beyond the keys themselves. */
    long retainedPerKey(int count) {
        Object warmedUp = fill(Keys.create(10)); // loads the classes
        String[] keys = Keys.create(count);
        long before = usedHeap(warmedUp, keys);
        Object filled = fill(keys);
        long after = usedHeap(warmedUp, keys, filled);
        return Math.round((after - before) / (double) count);
    }

    /**
     * Fills a limiter with keys that come once, moves the clock past the period and goes on asking for a few others,
     * always allowed, until the heap is back within 5 % of what it was when the limiter was empty.
     */
    static Map<String, Long> idle(int oneOffKeys) {
        AtomicLong clock = new AtomicLong();
        Limiter limiter = Limiter.builder(Limit.tokenBucket(10, Duration.ofSeconds(1)))
                .ticker(clock::get)
                .maxBytes(Long.MAX_VALUE)
                .build();
        String[] busy = Keys.create(BUSY_KEYS);
        askInTurn(limiter, clock, busy, 0, BUSY_KEYS);
        long empty = usedHeap(limiter, busy);
        for (int i = 0; i < oneOffKeys; i++) {
            Expect.allowed(limiter.tryAcquire("visitor:" + i));
        }
        long peak = usedHeap(limiter, busy);
        clock.addAndGet(Duration.ofHours(1).toNanos());
        long after = peak;
        int calls = 0;
        int checkAt = FIRST_CHECK;
        long startNanos = System.nanoTime();
        boolean inTime = true;
        while (after > empty + empty / 20 && calls < MAX_CALLS && inTime) {
            askInTurn(limiter, clock, busy, calls, calls + CALLS_PER_STEP);
            calls += CALLS_PER_STEP;
            inTime = System.nanoTime() - startNanos < PATIENCE.toNanos();
            if (calls >= checkAt || !inTime) {
                checkAt += calls / 4;
                after = usedHeap(limiter, busy);
            }
        }
        Map<String, Long> figures = new LinkedHashMap<>();
        figures.put(EMPTY, empty);
        figures.put(PEAK, peak);
        figures.put(AFTER, after);
        figures.put(CALLS, (long) calls);
        return figures;
    }

    /** Ten milliseconds apart, so that each of the few keys has regained what it took when its turn comes. */
    private static void askInTurn(Limiter limiter, AtomicLong clock, String[] busy, int from, int to) {
        for (int call = from; call < to; call++) {
            clock.addAndGet(10_000_000);
            Expect.allowed(limiter.tryAcquire(busy[call % busy.length]));
        }
    }

    /** Full logs, no two entries of one at the same microsecond. */
    private static Limiter sluiceLogs(String[] keys) {
        AtomicLong clock = new AtomicLong();
        Limiter limiter = Limiter.local(clock::get, Limit.slidingLog(Limiters.LOG, Supply.DAY));
        for (int entry = 0; entry < Limiters.LOG; entry++) {
            clock.addAndGet(1_000_000);
            for (String key : keys) {
                Expect.allowed(limiter.tryAcquire(key));
            }
        }
        return limiter;
    }

    private static Map<String, Queue<Long>> logs(String[] keys, Supplier<Queue<Long>> log) {
        Map<String, Queue<Long>> logs = Keys.mapOf(keys, log);
        for (long entry = 1; entry <= Limiters.LOG; entry++) {
            for (Queue<Long> each : logs.values()) {
                each.add(entry * 1_000_000);
            }
        }
        return logs;
    }

    /** What the heap holds after full collections, {@code alive} and all it refers to included. */
    private static long usedHeap(Object... alive) {
        Runtime runtime = Runtime.getRuntime();
        try {
            for (int i = 0; i < 3; i++) {
                runtime.gc();
            }
            return runtime.totalMemory() - runtime.freeMemory();
        } finally {
            Reference.reachabilityFence(alive);
        }
    }
}
