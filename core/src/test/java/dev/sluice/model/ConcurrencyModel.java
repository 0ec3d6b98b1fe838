package dev.sluice.model;

import dev.sluice.Limit;
import java.util.ArrayList;
import java.util.List;

/** The charges that have not been released. */
final class ConcurrencyModel extends PartModel {
    private final Limit.Concurrency limit;
    private final List<Charge> held = new ArrayList<>();

    ConcurrencyModel(Limit.Concurrency limit) {
        this.limit = limit;
    }

    @Override
    long capacity() {
        return limit.permits();
    }

    @Override
    boolean fits(long at, long permits) {
        return held() + permits <= limit.permits();
    }

    @Override
    boolean idleAt(long at) {
        return held() == 0;
    }

    @Override
    void charge(Charge charge) {
        held.add(charge);
    }

    /** A refund of a part leaves the whole held. */
    @Override
    void giveBack(long at, Charge charge, long unused) {
        if (unused == charge.cost) {
            held.remove(charge);
        }
    }

    @Override
    void release(Charge charge) {
        held.remove(charge);
    }

    private long held() {
        return held.stream().mapToLong(c -> c.permits).sum();
    }

    @Override
    PartModel fresh() {
        return new ConcurrencyModel(limit);
    }

    @Override
    void copyFrom(PartModel other) {
        held.addAll(((ConcurrencyModel) other).held);
    }
}
