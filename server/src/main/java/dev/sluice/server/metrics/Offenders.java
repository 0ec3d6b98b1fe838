package dev.sluice.server.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;
import org.jspecify.annotations.Nullable;

/**
 * The keys that are denied most, in a memory that does not grow with their number.
 *
 * <p>Why a sketch: under attack the keys are as many as the attacker likes. A heavy-hitter sketch keeps some hundred of
 * them; every key with more than a small share of all denials is among them, and its count is known to within a stated
 * error. There are two sketches, of this period and of the one before, so that an old attack fades.
 *
 * <p>Why stripes: a sketch has one writer at a time. Each thread has a stripe as its own, more or less, and a denial that
 * finds its stripe busy is not waited for but missed, and counted as such.
 */
public final class Offenders {
    private static final int SKETCH_SIZE = 1024;
    private static final int MAX_KEY_LENGTH = 256;
    private static final int STRIPES = 8;

    /** A key that was denied. */
    public record Offender(String rule, String key) {}

    /**
     * How often a key was denied.
     *
     * @param atLeast the smallest number it can be
     * @param atMost the largest number it can be
     */
    public record Count(Offender offender, long atLeast, long atMost) {}

    /** The keys that were denied most, the first one most often, out of all denials in the time {@code over}. */
    public record Top(List<Count> top, long denials, long missed, Duration over) {}

    private static final class Stripe {
        final ReentrantLock lock = new ReentrantLock();
        long period = Long.MIN_VALUE;
        ItemsSketch<Offender> current = new ItemsSketch<>(SKETCH_SIZE);

        @Nullable
        ItemsSketch<Offender> before;

        /** Call it with the lock held. */
        void turnTo(long now) {
            if (now != period) {
                before = now == period + 1 ? current : null;
                current = new ItemsSketch<>(SKETCH_SIZE);
                period = now;
            }
        }
    }

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final LongSupplier nanos;
    private final long startNanos;
    private final long periodNanos;
    final LongAdder missed = new LongAdder();

    Offenders(Duration period, LongSupplier nanos) {
        this.nanos = nanos;
        this.startNanos = nanos.getAsLong();
        this.periodNanos = period.toNanos();
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    void denied(String rule, String key) {
        Stripe stripe = stripes[(int) (Thread.currentThread().getId() & (STRIPES - 1))];
        if (!stripe.lock.tryLock()) {
            missed.increment();
            return;
        }
        try {
            stripe.turnTo(period());
            stripe.current.update(
                    new Offender(rule, key.length() > MAX_KEY_LENGTH ? key.substring(0, MAX_KEY_LENGTH) : key));
        } finally {
            stripe.lock.unlock();
        }
    }

    /** At most {@code max} of the keys that were denied most. */
    public Top top(int max) {
        long now = period();
        ItemsSketch<Offender> all = new ItemsSketch<>(SKETCH_SIZE);
        for (Stripe stripe : stripes) {
            stripe.lock.lock();
            try {
                stripe.turnTo(now);
                all.merge(stripe.current);
                if (stripe.before != null) {
                    all.merge(stripe.before);
                }
            } finally {
                stripe.lock.unlock();
            }
        }
        List<Count> top = new ArrayList<>();
        if (!all.isEmpty()) {
            for (ItemsSketch.Row<Offender> row : all.getFrequentItems(ErrorType.NO_FALSE_NEGATIVES)) {
                if (top.size() < max) {
                    top.add(new Count(row.getItem(), row.getLowerBound(), row.getUpperBound()));
                }
            }
        }
        return new Top(top, all.getStreamLength(), missed.sum(), covered(now));
    }

    private Duration covered(long now) {
        long since = Math.max(0, (now - 1) * periodNanos);
        return Duration.ofNanos(nanos.getAsLong() - startNanos - since);
    }

    private long period() {
        return (nanos.getAsLong() - startNanos) / periodNanos;
    }
}
