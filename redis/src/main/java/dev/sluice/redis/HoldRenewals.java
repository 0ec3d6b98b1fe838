package dev.sluice.redis;

import dev.sluice.spi.LimiterDecision;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/** Renews the leases of the permits that this process holds, until it releases them or dies. */
final class HoldRenewals {
    private final BiConsumer<String, LimiterDecision> renew;
    private final ScheduledExecutorService executor;
    private final long everyMicros;
    private final ConcurrentHashMap<String, Queue<LimiterDecision>> held = new ConcurrentHashMap<>();
    private final AtomicBoolean started = new AtomicBoolean();

    /** Calls {@code renew} three times in each lease for every hold; never, if {@code leaseMicros} is 0. */
    HoldRenewals(BiConsumer<String, LimiterDecision> renew, ScheduledExecutorService executor, long leaseMicros) {
        this.renew = renew;
        this.executor = executor;
        this.everyMicros = leaseMicros / 3;
    }

    void add(String key, LimiterDecision taken) {
        if (everyMicros == 0) {
            return;
        }
        held.compute(key, (unused, holds) -> {
            Queue<LimiterDecision> all = holds == null ? new ConcurrentLinkedQueue<>() : holds;
            all.add(taken);
            return all;
        });
        if (started.compareAndSet(false, true)) {
            executor.scheduleWithFixedDelay(this::renewAll, everyMicros, everyMicros, TimeUnit.MICROSECONDS);
        }
    }

    void remove(String key, LimiterDecision taken) {
        held.computeIfPresent(key, (unused, holds) -> {
            removeOne(holds, taken);
            return holds.isEmpty() ? null : holds;
        });
    }

    /** Removes a hold by what Redis knows of it: a caller may release a copy of the decision with other numbers. */
    private static void removeOne(Queue<LimiterDecision> holds, LimiterDecision taken) {
        for (Iterator<LimiterDecision> each = holds.iterator(); each.hasNext(); ) {
            LimiterDecision held = each.next();
            if (held.takenAtMicros() == taken.takenAtMicros() && held.permits() == taken.permits()) {
                each.remove();
                return;
            }
        }
    }

    private void renewAll() {
        held.forEach((key, holds) -> holds.forEach(each -> renew.accept(key, each)));
    }
}
