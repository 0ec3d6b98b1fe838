package dev.sluice.redis;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Limiters on a real Redis whose time is a test's: each has counters of its own. */
final class TestClockStore implements AutoCloseable {
    private final RedisStore store;
    private final RedisStore.Setup setup;
    private final AtomicInteger made = new AtomicInteger();

    TestClockStore(String url, RedisStoreBuilder.Client client) {
        this.store = RedisStore.builder()
                .url(url)
                .client(client)
                .timeout(Duration.ofSeconds(10))
                .onFailure(OnFailure.DENY)
                .testMicros(() -> 0)
                .build();
        this.setup = store.setup();
    }

    /** A limiter on which nothing has been used yet. */
    Limiter limiter(Ticker ticker, Limit... limits) {
        return limiter("test-" + made.incrementAndGet(), ticker, limits);
    }

    /** A limiter that shares its counters with others of the same name. */
    Limiter limiter(String name, Ticker ticker, Limit... limits) {
        RedisStore.Setup timed = new RedisStore.Setup(
                setup.connection(),
                setup.combiner(),
                setup.prefix(),
                setup.counters(),
                setup.memory(),
                setup.denials(),
                setup.executor(),
                setup.scheduler(),
                setup.waits(),
                setup.holding(),
                setup.onFailure(),
                setup.leaseMicros(),
                setup.clock(),
                () -> Math.floorDiv(ticker.nanos(), 1000L));
        return new RedisLimiterBuilder(timed, name, limits).build();
    }

    List<Decision> decideAll(List<Charge> charges) {
        return store.decideAll(charges).join();
    }

    RedisCounters counters() {
        return store.counters();
    }

    @Override
    public void close() {
        store.close();
    }
}
