package dev.sluice.model;

import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

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

    @Override
    List<KeyUsage.Span> spans(long at) {
        long length = periodMicros / (KeyUsage.MAX_SPANS - 1) + 1;
        TreeMap<Long, Long> permits = new TreeMap<>();
        for (Charge charge : log) {
            if (inWindow(at, charge) && charge.permits > 0) {
                permits.merge(Math.floorDiv(charge.atMicros, length), charge.permits, Long::sum);
            }
        }
        return permits.entrySet().stream()
                .map(span -> new KeyUsage.Span(
                        Math.min(periodMicros, at - span.getKey() * length),
                        Math.max(0, at - (span.getKey() + 1) * length),
                        span.getValue()))
                .toList();
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
