package dev.sluice.bench.redis;

/** A limiter on Redis, whoever made it: asked for one permit at a time. */
interface Subject extends AutoCloseable {
    /** Who is told what became of a request. */
    interface Reply {
        void answered(boolean allowed);

        void failed(Throwable why);
    }

    /** Does what must be done once for each key before its first request, if anything. */
    default void prepare(String... keys) {}

    /** Asks, and waits for the answer. */
    boolean tryAcquire(String key);

    /** Asks, and lets {@code reply} know later; on any thread. */
    default void tryAcquire(String key, Reply reply) {
        throw new UnsupportedOperationException("a blocking client");
    }

    @Override
    void close();
}
