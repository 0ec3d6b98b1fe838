package dev.sluice.model;

import dev.sluice.Limit;
import dev.sluice.Limit.LeakyBucket.Flow;
import java.math.BigInteger;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * The water in the bucket, cut so fine that a whole number of drops leaves in a microsecond: a permit is
 * {@code period} drops, {@code permits} drops leave in a microsecond.
 */
final class LeakyBucketModel extends PartModel {
    private final Limit.LeakyBucket limit;
    private final BigInteger permit;
    private final BigInteger perMicro;
    private BigInteger drops = BigInteger.ZERO;
    private long sinceMicros;
    private BigInteger refunded = BigInteger.ZERO;
    /** Those in the queue since it was last empty, in their order. */
    private final List<Charge> queue = new ArrayList<>();

    LeakyBucketModel(Limit.LeakyBucket limit) {
        this.limit = limit;
        this.permit = BigInteger.valueOf(limit.period().dividedBy(ChronoUnit.MICROS.getDuration()));
        this.perMicro = BigInteger.valueOf(limit.permits());
    }

    @Override
    long capacity() {
        return limit.capacity();
    }

    @Override
    boolean fits(long at, long permits) {
        return water(at).add(worth(permits)).compareTo(worth(limit.capacity())) <= 0;
    }

    @Override
    boolean idleAt(long at) {
        return water(at).signum() == 0;
    }

    /** The work may start when the water that came before it has gone. */
    @Override
    long delayMicros(long now) {
        return limit.flow() == Flow.QUEUE ? resetAfterMicros(now) : 0;
    }

    @Override
    void charge(Charge charge) {
        if (water(charge.atMicros).signum() == 0 && charge.atMicros > sinceMicros) {
            queue.clear(); // they have left
        }
        charge.found = water(charge.atMicros);
        charge.refundedBefore = refunded;
        queue.add(charge);
        set(charge.atMicros, water(charge.atMicros).add(worth(charge.permits)));
    }

    @Override
    void giveBack(long at, Charge charge, long unused) {
        if (limit.flow() == Flow.QUEUE) {
            leave(at, charge, unused);
        } else {
            giveBackWater(at, charge, unused);
        }
    }

    /**
     * What of the request's water, and that which was there before it, has not left since. To refund the last request of
     * all as a whole undoes it: that is not a refund that others must allow for.
     */
    private void giveBackWater(long at, Charge charge, long unused) {
        boolean last = left(sinceMicros, charge).equals(drops);
        BigInteger given = left(at, charge).max(BigInteger.ZERO).min(worth(unused));
        drops = drops.subtract(given);
        if (!last || unused != charge.cost) {
            refunded = refunded.add(given);
        }
    }

    private BigInteger left(long at, Charge charge) {
        BigInteger poured = charge.found.add(worth(charge.cost));
        return poured.subtract(leaked(at - charge.atMicros)).subtract(refunded.subtract(charge.refundedBefore));
    }

    /** Only the last of a queue can leave it; any other place stays empty. */
    private void leave(long at, Charge charge, long unused) {
        boolean last = !queue.isEmpty() && queue.get(queue.size() - 1) == charge;
        if (last) {
            drops = drops.subtract(worth(unused).min(water(at)));
            if (unused == charge.cost) {
                queue.remove(queue.size() - 1);
            }
        }
    }

    private BigInteger water(long at) {
        return drops.subtract(leaked(Math.max(0, at - sinceMicros))).max(BigInteger.ZERO);
    }

    private BigInteger leaked(long micros) {
        return perMicro.multiply(BigInteger.valueOf(micros));
    }

    private BigInteger worth(long permits) {
        return permit.multiply(BigInteger.valueOf(permits));
    }

    private void set(long at, BigInteger water) {
        drops = water;
        sinceMicros = at;
    }

    @Override
    PartModel fresh() {
        return new LeakyBucketModel(limit);
    }

    @Override
    void copyFrom(PartModel other) {
        LeakyBucketModel same = (LeakyBucketModel) other;
        set(same.sinceMicros, same.drops);
        refunded = same.refunded;
        queue.addAll(same.queue);
    }
}
