package dev.sluice.bench.redis;

import dev.sluice.Limit;
import dev.sluice.redis.RedisStoreBuilder.Client;
import java.time.Duration;

/** One limiter on Redis with nothing around it: a hot key, 256 in flight, one thread that asks. */
public final class RawPace implements AutoCloseable {
    private static final String KEY = "user:100000000";
    /** At two million decisions a second it lasts for an hour. */
    private static final Limit LIMIT = Limit.fixedWindow(10_000_000_000L, Duration.ofDays(10));

    private final Subject subject;

    public RawPace(String url) {
        this.subject = new SluiceSubject(url, Client.LETTUCE, LIMIT);
    }

    /** Decisions per second, all of them allowed by Redis. */
    public double perSecond(long millis) {
        return Driver.inFlight(subject, () -> KEY, RedisLoad.MAX_IN_FLIGHT, millis)
                .perSecond();
    }

    @Override
    public void close() {
        subject.close();
    }
}
