package dev.sluice.redis;

import dev.sluice.Decision;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Permits held by this process: their leases are renewed for as long as it lives and has not released them. */
final class Renewals {
    private final SharedState shared;
    private final ScheduledExecutorService executor;
    private final long everyMicros;
    private final ConcurrentHashMap<String, Queue<Decision>> held = new ConcurrentHashMap<>();
    private final AtomicBoolean started = new AtomicBoolean();

    Renewals(SharedState shared, ScheduledExecutorService executor, long leaseMicros) {
        this.shared = shared;
        this.executor = executor;
        this.everyMicros = leaseMicros / 3;
    }

    void add(String key, Decision taken) {
        if (everyMicros == 0) {
            return;
        }
        held.compute(key, (unused, those) -> {
            Queue<Decision> all = those == null ? new ConcurrentLinkedQueue<>() : those;
            all.add(taken);
            return all;
        });
        if (started.compareAndSet(false, true)) {
            executor.scheduleWithFixedDelay(this::renewAll, everyMicros, everyMicros, TimeUnit.MICROSECONDS);
        }
    }

    void remove(String key, Decision taken) {
        held.computeIfPresent(key, (unused, those) -> {
            those.remove(taken);
            return those.isEmpty() ? null : those;
        });
    }

    private void renewAll() {
        held.forEach((key, those) -> those.forEach(each -> shared.renew(key, each)));
    }
}
