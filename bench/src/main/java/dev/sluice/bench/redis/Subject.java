package dev.sluice.bench.redis;

import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** A limiter on Redis, asked for one permit at a time. */
interface Subject extends AutoCloseable {
    /** Receives the decision on a request. */
    interface Reply {
        void decided(boolean allowed);

        void failed(Throwable why);

        /** Passes on what a client decides, or that it fails. */
        default <T> void await(CompletionStage<T> decision, Predicate<T> isAllowed) {
            decision.whenComplete((value, failure) -> {
                if (failure != null) {
                    failed(failure);
                } else {
                    decided(isAllowed.test(value));
                }
            });
        }
    }

    /** Prepares keys before their first request, where a library needs that. */
    default void prepare(String... keys) {}

    /** Asks, and waits for the decision. */
    boolean tryAcquire(String key);

    /** Asks, and passes the decision to {@code reply} later, on any thread. */
    default void tryAcquire(String key, Reply reply) {
        throw new UnsupportedOperationException("a blocking client");
    }

    @Override
    void close();
}
