package dev.sluice.model;

import dev.sluice.Limit;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Every charge there ever was, recounted each time. */
final class SlidingLogModel extends PartModel {
    private final Limit.SlidingLog limit;
    private final long periodMicros;
    private final List<Charge> log = new ArrayList<>();

    SlidingLogModel(Limit.SlidingLog limit) {
        this.limit = limit;
        this.periodMicros = limit.period().dividedBy(ChronoUnit.MICROS.getDuration());
    }

    @Override
    long capacity() {
        return limit.permits();
    }

    @Override
    boolean fits(long at, long permits) {
        return count(at) + permits <= limit.permits();
    }

    @Override
    boolean idleAt(long at) {
        return count(at) == 0;
    }

    @Override
    void charge(Charge charge) {
        log.add(charge);
    }

    @Override
    void giveBack(long at, Charge charge, long unused) {
        if (inWindow(at, charge)) {
            charge.permits -= unused;
        }
    }

    private long count(long at) {
        long count = 0;
        for (Charge charge : log) {
            count += inWindow(at, charge) ? charge.permits : 0;
        }
        return count;
    }

    private boolean inWindow(long at, Charge charge) {
        return charge.atMicros > at - periodMicros;
    }

    @Override
    PartModel fresh() {
        return new SlidingLogModel(limit);
    }

    @Override
    void copyFrom(PartModel other) {
        log.addAll(((SlidingLogModel) other).log);
    }
}
