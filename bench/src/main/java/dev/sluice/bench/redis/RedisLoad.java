package dev.sluice.bench.redis;

/** How a limiter is called. */
enum RedisLoad {
    LONE("1 thread"),
    THREADS("16 threads"),
    IN_FLIGHT("256 in flight"),
    KEYS("100,000 keys");

    static final int THREAD_COUNT = 16;
    static final int MAX_IN_FLIGHT = 256;

    final String label;

    RedisLoad(String label) {
        this.label = label;
    }

    boolean isAsync() {
        return this == IN_FLIGHT || this == KEYS;
    }

    boolean isHot() {
        return this != KEYS;
    }
}
