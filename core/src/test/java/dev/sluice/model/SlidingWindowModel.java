package dev.sluice.model;

import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.Limit.SlidingWindow.Counting;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Every charge there ever was, each put into its slice anew each time. */
final class SlidingWindowModel extends PartModel {
    private final Limit.SlidingWindow limit;
    private final long sliceMicros;
    private final List<Charge> log = new ArrayList<>();

    SlidingWindowModel(Limit.SlidingWindow limit) {
        this.limit = limit;
        this.sliceMicros = limit.period().dividedBy(ChronoUnit.MICROS.getDuration()) / limit.slices();
    }

    @Override
    long capacity() {
        return limit.permits();
    }

    /** Counted in shares of a permit, one slice length to the permit, so that a part of a permit is a whole number. */
    @Override
    boolean fits(long at, long permits) {
        return used(at) + permits * sliceMicros <= limit.permits() * sliceMicros;
    }

    @Override
    boolean idleAt(long at) {
        return used(at) == 0;
    }

    @Override
    void charge(Charge charge) {
        log.add(charge);
    }

    @Override
    void giveBack(long at, Charge charge, long unused) {
        if (weight(at, charge) > 0) {
            charge.permits -= unused;
        }
    }

    private long used(long at) {
        long used = 0;
        for (Charge charge : log) {
            used += charge.permits * weight(at, charge);
        }
        return used;
    }

    @Override
    List<KeyUsage.Span> spans(long at) {
        long together = limit.slices() / (KeyUsage.MAX_SPANS - 1L) + 1;
        TreeMap<Long, Long> shares = new TreeMap<>();
        for (Charge charge : log) {
            long share = charge.permits * weight(at, charge);
            shares.merge(Math.floorDiv(Math.floorDiv(charge.atMicros, sliceMicros), together), share, Long::sum);
        }
        long oldest = Math.floorDiv(at, sliceMicros) - limit.slices();
        return shares.entrySet().stream()
                .filter(span -> span.getValue() > 0)
                .map(span -> new KeyUsage.Span(
                        at - Math.max(span.getKey() * together, oldest) * sliceMicros,
                        Math.max(0, at - (span.getKey() + 1) * together * sliceMicros),
                        (span.getValue() + sliceMicros - 1) / sliceMicros))
                .toList();
    }

    /** How much of each permit counts: all of it, none, or what is left of the oldest slice. */
    private long weight(long at, Charge charge) {
        long age = Math.floorDiv(at, sliceMicros) - Math.floorDiv(charge.atMicros, sliceMicros);
        if (age > limit.slices()) {
            return 0;
        }
        boolean oldest = age == limit.slices();
        return oldest && limit.counting() == Counting.WEIGHTED
                ? sliceMicros - Math.floorMod(at, sliceMicros)
                : sliceMicros;
    }

    @Override
    PartModel fresh() {
        return new SlidingWindowModel(limit);
    }

    @Override
    void copyFrom(PartModel other) {
        log.addAll(((SlidingWindowModel) other).log);
    }
}
