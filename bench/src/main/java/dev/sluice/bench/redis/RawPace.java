package dev.sluice.bench.redis;

import dev.sluice.Limit;
import dev.sluice.redis.RedisStoreBuilder.Client;

/** One limiter on Redis with nothing around it: a hot key, 256 in flight, one thread that asks. */
public final class RawPace implements AutoCloseable {
    private static final String KEY = "user:100000000";

    private final Subject subject;

    public RawPace(String url) {
        this.subject =
                new SluiceSubject(url, Client.LETTUCE, Limit.fixedWindow(Quota.HOT.permits(), Quota.HOT.period()));
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
