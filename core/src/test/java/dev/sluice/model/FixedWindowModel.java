package dev.sluice.model;

import dev.sluice.Limit;
import dev.sluice.Limit.Alignment;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** The charges of the window that is open; with none of them, none is open. */
final class FixedWindowModel extends PartModel {
    private final Limit.FixedWindow limit;
    private final List<Charge> window = new ArrayList<>();
    private long endMicros;

    FixedWindowModel(Limit.FixedWindow limit) {
        this.limit = limit;
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
        if (idleAt(charge.atMicros)) {
            window.clear();
            endMicros = endOfWindowOpenedAt(charge.atMicros);
        }
        window.add(charge);
    }

    @Override
    void giveBack(long at, Charge charge, long unused) {
        if (at < endMicros && window.contains(charge)) {
            charge.permits -= unused;
        }
    }

    private long count(long at) {
        return at < endMicros ? window.stream().mapToLong(c -> c.permits).sum() : 0;
    }

    private long endOfWindowOpenedAt(long at) {
        if (limit.alignment() instanceof Alignment.Calendar calendar) {
            CalendarWindow opened = CalendarWindow.at(at, calendar);
            return at
                    + Search.microsUntil(
                            at, t -> !CalendarWindow.at(t, calendar).equals(opened));
        }
        long period = limit.period().dividedBy(ChronoUnit.MICROS.getDuration());
        return limit.alignment() instanceof Alignment.Epoch ? at - Math.floorMod(at, period) + period : at + period;
    }

    @Override
    PartModel fresh() {
        return new FixedWindowModel(limit);
    }

    @Override
    void copyFrom(PartModel other) {
        FixedWindowModel same = (FixedWindowModel) other;
        window.addAll(same.window);
        endMicros = same.endMicros;
    }
}
