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
        set(charge.atMicros, level(charge.atMicros).subtract(worth(charge.permits)));
    }

    @Override
    void giveBack(long at, Charge charge) {
        BigInteger regained = perMicro.multiply(BigInteger.valueOf(at - charge.atMicros));
        BigInteger owed = worth(charge.permits).subtract(regained).max(BigInteger.ZERO);
        pieces = pieces.add(owed).min(full);
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
    }
}
