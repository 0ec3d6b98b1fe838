package dev.sluice.bench.core;

import java.util.Locale;

/** A limiter that takes part, or a floor, in the order of the tables. */
public enum Contender {
    CLOCK("floor: clock", Library.FLOOR),
    CLOCK_CAS("floor: clock + cas", Library.FLOOR),
    CLOCK_READ("floor: clock + read", Library.FLOOR),
    MAP_CLOCK_CAS("floor: map + clock + cas", Library.FLOOR),
    MAP_ADDER("floor: map + LongAdder", Library.FLOOR),
    COMPOSITE("sluice composite", Library.SLUICE),
    FIXED_WINDOW("sluice fixed window", Library.SLUICE),
    HOT_KEYS("sluice hot keys", Library.SLUICE),
    LEAKY_BUCKET("sluice leaky bucket", Library.SLUICE),
    SLIDING_LOG("sluice sliding log", Library.SLUICE),
    SLIDING_WINDOW("sluice sliding window", Library.SLUICE),
    TOKEN_BUCKET("sluice token bucket", Library.SLUICE),
    SEPARATE_2("sluice, 2 calls of decide", Library.SLUICE),
    TOGETHER_2("sluice, decideAll of 2", Library.SLUICE),
    SEPARATE_4("sluice, 4 calls of decide", Library.SLUICE),
    TOGETHER_4("sluice, decideAll of 4", Library.SLUICE),
    BUCKET4J("bucket4j", Library.BUCKET4J),
    BUCKET4J_NANOS("bucket4j nanos", Library.BUCKET4J),
    FAILSAFE_BURSTY("failsafe bursty", Library.FAILSAFE),
    FAILSAFE_SMOOTH("failsafe smooth", Library.FAILSAFE),
    GUAVA("guava", Library.GUAVA),
    RESILIENCE4J("resilience4j", Library.RESILIENCE4J),
    SENTINEL("sentinel", Library.SENTINEL);

    /** Who made it; also how the methods are named that call it. */
    enum Library {
        FLOOR,
        SLUICE,
        BUCKET4J,
        FAILSAFE,
        GUAVA,
        RESILIENCE4J,
        SENTINEL;

        /** {@code Sluice}. */
        String inCamelCase() {
            return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        }
    }

    final String label;
    final Library library;

    Contender(String label, Library library) {
        this.label = label;
        this.library = library;
    }

    boolean isPeer() {
        return library != Library.FLOOR && library != Library.SLUICE;
    }
}
