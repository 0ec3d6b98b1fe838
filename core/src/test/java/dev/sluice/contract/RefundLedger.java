package dev.sluice.contract;

import dev.sluice.Limit;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one bucket owes to those who refund, from the definition: a request of c that was taken at s gets back at least
 * c - clamp(rate * (now - s) + R - m, 0, c), where m is the debt that it found and R what was refunded since. The debt is
 * kept in parts of a permit: a permit is {@code period} of them, and {@code permits} come back in a microsecond.
 */
final class RefundLedger {
    private static final class Entry {
        final Grant grant;
        final long atMicros;
        final BigInteger found;
        final BigInteger refundedBefore;
        long refunded;

        Entry(Grant grant, long atMicros, BigInteger found, BigInteger refundedBefore) {
            this.grant = grant;
            this.atMicros = atMicros;
            this.found = found;
            this.refundedBefore = refundedBefore;
        }
    }

    private final Limit bucket;
    private final BigInteger permit;
    private final BigInteger perMicro;
    private final List<Entry> entries = new ArrayList<>();
    private BigInteger debt = BigInteger.ZERO;
    private BigInteger refunded = BigInteger.ZERO;
    private long lastMicros = Long.MIN_VALUE;

    private RefundLedger(Limit bucket, long permits, long periodMicros) {
        this.bucket = bucket;
        this.permit = BigInteger.valueOf(periodMicros);
        this.perMicro = BigInteger.valueOf(permits);
    }

    /** The ledger of a single bucket that does not queue; null for any other limits. */
    static @Nullable RefundLedger of(List<Limit> limits) {
        Limit limit = limits.get(0);
        boolean bucket = limit instanceof Limit.TokenBucket || (limit instanceof Limit.LeakyBucket && !limit.delays());
        return bucket && limits.size() == 1
                ? new RefundLedger(limit, limit.permits(), Rhythm.of(limit).periodMicros())
                : null;
    }

    /** Enters what was granted and refunded since the last time, at most one of each. */
    void follow(List<Grant> grants, long now) {
        for (Grant grant : grants.subList(entries.size(), grants.size())) {
            long at = Math.max(now, lastMicros);
            debt = debtAt(at);
            entries.add(new Entry(grant, at, debt, refunded));
            debt = debt.add(worth(grant.permits));
            lastMicros = at;
        }
        for (Entry entry : entries) {
            if (entry.grant.refunded > entry.refunded) {
                refund(entry, entry.grant.refunded - entry.refunded, now);
                entry.refunded = entry.grant.refunded;
            }
        }
    }

    /** The refunded permits are a request of their own, right behind those that were kept. */
    private void refund(Entry entry, long unused, long now) {
        BigInteger gone = perMicro.multiply(BigInteger.valueOf(Math.max(now, lastMicros) - entry.atMicros))
                .add(refunded.subtract(entry.refundedBefore))
                .subtract(entry.found.add(worth(entry.grant.kept())));
        BigInteger cost = worth(unused);
        BigInteger owed = cost.subtract(gone.max(BigInteger.ZERO).min(cost));
        debt = debt.subtract(owed);
        refunded = refunded.add(owed);
    }

    /** The permits that can be taken if nothing beyond what is owed was refunded. */
    long remaining(long now) {
        BigInteger full = worth(bucket.capacity());
        return full.subtract(debtAt(Math.max(now, lastMicros)))
                .max(BigInteger.ZERO)
                .divide(permit)
                .longValueExact();
    }

    private BigInteger debtAt(long at) {
        if (lastMicros == Long.MIN_VALUE) {
            return BigInteger.ZERO;
        }
        return debt.subtract(perMicro.multiply(BigInteger.valueOf(at - lastMicros)))
                .max(BigInteger.ZERO);
    }

    private BigInteger worth(long permits) {
        return permit.multiply(BigInteger.valueOf(permits));
    }
}
