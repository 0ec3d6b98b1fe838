package dev.sluice.bench.core;

import static dev.sluice.bench.core.Contender.*;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Benchmarks that answer one question, and so make one table. */
@SuppressWarnings("ImmutableEnumChecker") // nobody changes the sets
enum Group {
    ALLOWED(
            "allowed",
            "One hot limiter, every call allowed",
            HotLimiter.class,
            Supply.OPEN,
            List.of(1, 2),
            1,
            CLOCK_CAS,
            without(CLOCK_READ, MAP_CLOCK_CAS)),
    DENIED(
            "denied",
            "One exhausted limiter, every call denied",
            HotLimiter.class,
            Supply.SHUT,
            List.of(1, 2),
            1,
            CLOCK_READ,
            without(CLOCK, CLOCK_CAS, MAP_CLOCK_CAS, COMPOSITE, BUCKET4J_NANOS)),
    KEYED(
            "keyed",
            "1,000,000 keys in random order, every call allowed",
            ManyKeys.class,
            Supply.SLOW,
            List.of(1),
            4,
            MAP_CLOCK_CAS,
            EnumSet.of(MAP_CLOCK_CAS, FIXED_WINDOW, TOKEN_BUCKET, BUCKET4J, GUAVA, RESILIENCE4J)),
    TWO(
            "two",
            "One request to two token buckets, every call allowed",
            SeveralLimiters.class,
            Supply.OPEN,
            List.of(1, 2),
            1,
            SEPARATE_2,
            EnumSet.of(SEPARATE_2, TOGETHER_2)),
    FOUR(
            "four",
            "One request to four token buckets, every call allowed",
            SeveralLimiters.class,
            Supply.OPEN,
            List.of(1, 2),
            1,
            SEPARATE_4,
            EnumSet.of(SEPARATE_4, TOGETHER_4)),
    RECORDED(
            "recorded",
            "Counting 100,000 keys that come by Zipf's law",
            FrequentKeys.class,
            Supply.OPEN,
            List.of(1, 2),
            2,
            MAP_ADDER,
            EnumSet.of(MAP_ADDER, HOT_KEYS)),
    RECORDED_MANY(
            "recorded of many",
            "Counting 1,000,000 keys that come by Zipf's law",
            FrequentKeys.class,
            Supply.OPEN,
            List.of(1, 2),
            2,
            MAP_ADDER,
            EnumSet.of(MAP_ADDER, HOT_KEYS));

    final String label;
    final String title;
    final Class<?> benchmarks;
    final Supply supply;
    /** The numbers of threads it is run with. */
    final List<Integer> threads;

    final int heapGigabytes;
    /** What the others are compared with. */
    final Contender floor;

    final Set<Contender> contenders;

    Group(
            String label,
            String title,
            Class<?> benchmarks,
            Supply supply,
            List<Integer> threads,
            int heapGigabytes,
            Contender floor,
            Set<Contender> contenders) {
        this.label = label;
        this.title = title;
        this.benchmarks = benchmarks;
        this.supply = supply;
        this.threads = threads;
        this.heapGigabytes = heapGigabytes;
        this.floor = floor;
        this.contenders = contenders;
    }

    /** All that ask one limiter, except these. */
    private static Set<Contender> without(Contender... others) {
        Set<Contender> all =
                EnumSet.complementOf(EnumSet.of(SEPARATE_2, TOGETHER_2, SEPARATE_4, TOGETHER_4, MAP_ADDER, HOT_KEYS));
        all.removeAll(List.of(others));
        return all;
    }

    /** How many keys there are, where keys are drawn at random. */
    int keys() {
        return this == RECORDED ? Math.min(100_000, Keys.count()) : Keys.count();
    }
}
