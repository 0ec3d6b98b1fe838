package dev.sluice.model;

import dev.sluice.Limit;
import java.math.BigInteger;
import java.time.temporal.ChronoUnit;

/**
 * The tokens in the bucket, cut so fine that a microsecond brings a whole number of pieces: a token is {@code period}
 * pieces, a microsecond brings {@code permits} pieces.
 */
final class TokenBucketModel extends PartModel {
    private final Limit.TokenBucket limit;
    private final BigInteger token;
    private final BigInteger perMicro;
    private final BigInteger full;
    private BigInteger pieces;
    private long sinceMicros;
    private BigInteger refunded = BigInteger.ZERO;

    TokenBucketModel(Limit.TokenBucket limit) {
        this.limit = limit;
        this.token = BigInteger.valueOf(limit.period().dividedBy(ChronoUnit.MICROS.getDuration()));
        this.perMicro = BigInteger.valueOf(limit.permits());
        this.full = token.multiply(BigInteger.valueOf(limit.burst()));
        this.pieces = full;
    }

    @Override
    long capacity() {
        return limit.burst();
    }

    @Override
    boolean fits(long at, long permits) {
        return level(at).compareTo(worth(permits)) >= 0;
    }

    @Override
    boolean idleAt(long at) {
        return level(at).equals(full);
    }

    @Override
    void charge(Charge charge) {
        charge.found = full.subtract(level(charge.atMicros));
        charge.refundedBefore = refunded;
        set(charge.atMicros, level(charge.atMicros).subtract(worth(charge.permits)));
    }

    /**
     * What was missing because of the request and those before it, less what has come back since by itself or by refunds.
     * To refund the last request of all as a whole undoes it: that is not a refund that others must allow for.
     */
    @Override
    void giveBack(long at, Charge charge, long unused) {
        boolean last = left(sinceMicros, charge).equals(full.subtract(pieces));
        BigInteger given = left(at, charge).max(BigInteger.ZERO).min(worth(unused));
        pieces = pieces.add(given);
        if (!last || unused != charge.cost) {
            refunded = refunded.add(given);
        }
    }

    private BigInteger left(long at, Charge charge) {
        BigInteger refilled = perMicro.multiply(BigInteger.valueOf(at - charge.atMicros));
        return charge.found
                .add(worth(charge.cost))
                .subtract(refilled)
                .subtract(refunded.subtract(charge.refundedBefore));
    }

    private BigInteger level(long at) {
        BigInteger refill = perMicro.multiply(BigInteger.valueOf(Math.max(0, at - sinceMicros)));
        return pieces.add(refill).min(full);
    }

    private BigInteger worth(long permits) {
        return token.multiply(BigInteger.valueOf(permits));
    }

    private void set(long at, BigInteger level) {
        pieces = level;
        sinceMicros = at;
    }

    @Override
    PartModel fresh() {
        return new TokenBucketModel(limit);
    }

    @Override
    void copyFrom(PartModel other) {
        TokenBucketModel same = (TokenBucketModel) other;
        set(same.sinceMicros, same.pieces);
        refunded = same.refunded;
    }
}
