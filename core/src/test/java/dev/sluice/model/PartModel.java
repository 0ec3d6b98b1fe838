package dev.sluice.model;

import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import java.util.List;

/** One limit on one key: says what fits and when nothing is counted any more; all else is found by trying. */
abstract class PartModel {
    private long latestMicros = Long.MIN_VALUE;

    abstract long capacity();

    /** Whether {@code permits} more would fit at {@code at}, which is never before the latest charge. */
    abstract boolean fits(long at, long permits);

    /** Whether nothing at all is counted at {@code at}. */
    abstract boolean idleAt(long at);

    abstract void charge(Charge charge);

    /** Takes back what is still counted at {@code at} of the last {@code unused} permits of {@code charge}. */
    abstract void giveBack(long at, Charge charge, long unused);

    /** Ends the use of {@code charge}: only a concurrency limit cares. */
    void release(Charge charge) {}

    /** A part of the same limit that has counted nothing. */
    abstract PartModel fresh();

    /** Copies what {@code other}, of the same limit, has counted. */
    abstract void copyFrom(PartModel other);

    final PartModel copy() {
        PartModel copy = fresh();
        copy.latestMicros = latestMicros;
        copy.copyFrom(this);
        return copy;
    }

    /** A clock that has stepped back is read as: no time has passed since the latest charge. */
    private long effective(long now) {
        return Math.max(now, latestMicros);
    }

    final boolean admits(long now, long permits) {
        return permits <= capacity() && fits(effective(now), permits);
    }

    final Charge take(long now, long permits) {
        latestMicros = effective(now);
        Charge charge = new Charge(latestMicros, permits);
        charge(charge);
        return charge;
    }

    final void refund(long now, Charge charge, long unused) {
        giveBack(effective(now), charge, unused);
    }

    final long remaining(long now) {
        return Search.largest(0, capacity(), permits -> permits == 0 || admits(now, permits));
    }

    /** What is in use, and when it was taken where the limit remembers it. */
    final KeyUsage usage(long now) {
        return new KeyUsage(capacity() - remaining(now), spans(effective(now)));
    }

    /** The permits that count at {@code at} by when they were taken. */
    List<KeyUsage.Span> spans(long at) {
        return List.of();
    }

    final long retryAfterMicros(long now, long permits) {
        return Search.microsUntil(now, at -> admits(at, permits));
    }

    final long resetAfterMicros(long now) {
        return Search.microsUntil(now, at -> idleAt(effective(at)));
    }

    /** How long the work must wait although it is admitted: only a queue delays. */
    long delayMicros(long now) {
        return 0;
    }

    static PartModel of(Limit limit) {
        return limit.accept(new Limit.Cases<>() {
            @Override
            public PartModel fixedWindow(Limit.FixedWindow fixed) {
                return new FixedWindowModel(fixed);
            }

            @Override
            public PartModel slidingWindow(Limit.SlidingWindow sliding) {
                return new SlidingWindowModel(sliding);
            }

            @Override
            public PartModel slidingLog(Limit.SlidingLog log) {
                return new SlidingLogModel(log);
            }

            @Override
            public PartModel tokenBucket(Limit.TokenBucket bucket) {
                return new TokenBucketModel(bucket);
            }

            @Override
            public PartModel leakyBucket(Limit.LeakyBucket bucket) {
                return new LeakyBucketModel(bucket);
            }

            @Override
            public PartModel concurrency(Limit.Concurrency concurrency) {
                return new ConcurrencyModel(concurrency);
            }
        });
    }
}
