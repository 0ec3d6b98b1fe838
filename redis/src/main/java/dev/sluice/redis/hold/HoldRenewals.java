package dev.sluice.redis.hold;

import dev.sluice.Limiter;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Renews the leases of the permits that this process holds, until it releases them or dies.
 *
 * <p>A hold that is no longer in Redis (it was flushed, a failover lost it, or its lease ended during a long pause of this
 * process) is added again, if its permits are free. If others hold them, it stays lost: its holder works beyond the limit
 * unless permits become free by a later renewal. That is logged and counted.
 *
 * <p>Why holds are counted in groups: those of as many permits that were taken at the same instant of the server cannot be
 * told apart, and need not be.
 */
final class HoldRenewals {
    /** The holds of one key that are renewed in one call. */
    record KeyHolds(String key, List<Group> groups) {}

    /** The holds of as many permits that were taken at the same instant; {@code taken} is one of them. */
    record Group(LimiterDecision taken, long count) {}

    /** What became of a group: how many holds were added again, and how many could not be. */
    record Renewed(long restored, long lost) {}

    /** Runs the script. */
    interface Renewal {
        /** Renews these holds; {@code then} gets what became of each group, in order, or nothing without a reply in time, and what a late reply says. */
        void renew(List<KeyHolds> holds, Consumer<List<Renewed>> then);

        /** Whether one call may renew holds of several keys. */
        boolean takesSeveralKeys();

        void release(String key, LimiterDecision taken);
    }

    /** The most groups of one call, so that it keeps Redis for well under a millisecond. */
    static final int MAX_GROUPS = 200;

    private static final long MAX_REPEAT_MICROS = 250_000;

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private record HoldId(long takenAtMicros, long permits) {
        static HoldId of(LimiterDecision taken) {
            return new HoldId(taken.takenAtMicros(), taken.charged());
        }
    }

    /** Changed only inside compute on the key. */
    private static final class Held {
        private final LimiterDecision taken;
        private long count;
        private long lost;

        Held(LimiterDecision taken) {
            this.taken = taken;
        }
    }

    private final Renewal renewal;
    private final ScheduledExecutorService executor;
    private final HoldCounters counters;
    private final long everyMicros;
    private final ConcurrentHashMap<String, Map<HoldId, Held>> held = new ConcurrentHashMap<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    /** Keys whose last renewal had no reply. */
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean repeatScheduled = new AtomicBoolean();

    /** Renews every hold three times in each lease; never, if {@code leaseMicros} is 0. */
    HoldRenewals(Renewal renewal, ScheduledExecutorService executor, HoldCounters counters, long leaseMicros) {
        this.renewal = renewal;
        this.executor = executor;
        this.counters = counters;
        this.everyMicros = leaseMicros / 3;
    }

    void add(String key, LimiterDecision taken) {
        if (everyMicros == 0) {
            return;
        }
        held.compute(key, (unused, holds) -> {
            Map<HoldId, Held> all = holds == null ? new LinkedHashMap<>() : holds;
            all.computeIfAbsent(HoldId.of(taken), id -> new Held(taken)).count++;
            return all;
        });
        schedule();
    }

    /** Ends the renewal of a hold; whether it was renewed here. */
    boolean remove(String key, LimiterDecision taken) {
        boolean[] found = {false};
        held.computeIfPresent(key, (unused, holds) -> {
            HoldId id = HoldId.of(taken);
            Held group = holds.get(id);
            found[0] = group != null;
            if (group != null && --group.count == 0) {
                holds.remove(id);
            }
            return holds.isEmpty() ? null : holds;
        });
        return found[0];
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Whether there is a hold of as many permits that was taken at the same instant; true if that is not known. */
    boolean holdsAlike(String key, long takenAtMicros, long permits) {
        if (everyMicros == 0) {
            return true;
        }
        boolean[] found = {false};
        held.computeIfPresent(key, (unused, holds) -> {
            found[0] = holds.containsKey(new HoldId(takenAtMicros, permits));
            return holds;
        });
        return found[0];
    }

    /** Ends the renewal of all holds of a key. */
    void removeAll(String key) {
        held.remove(key);
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                executor.schedule(this::renewAll, everyMicros, TimeUnit.MICROSECONDS);
            } catch (RejectedExecutionException e) { // the store is closed: nothing is renewed any more
                held.clear();
            }
        }
    }

    private void renewAll() {
        scheduled.set(false);
        if (held.isEmpty()) {
            return;
        }
        schedule();
        unanswered.clear();
        renew(held.keySet());
    }

    /** Renews these again soon: a third of the lease may be all that is left of it. */
    private void renewSoon(List<KeyHolds> holds) {
        holds.forEach(each -> unanswered.add(each.key));
        if (repeatScheduled.compareAndSet(false, true)) {
            try {
                executor.schedule(
                        this::renewUnanswered, Math.min(everyMicros, MAX_REPEAT_MICROS), TimeUnit.MICROSECONDS);
            } catch (RejectedExecutionException e) { // the store is closed
                unanswered.clear();
            }
        }
    }

    private void renewUnanswered() {
        repeatScheduled.set(false);
        List<String> keys = List.copyOf(unanswered);
        keys.forEach(unanswered::remove);
        renew(keys);
    }

    private void renew(Collection<String> keys) {
        List<KeyHolds> call = new ArrayList<>();
        int groups = 0;
        for (String key : keys) {
            for (KeyHolds holds : holdsOf(key)) {
                boolean full = groups + holds.groups.size() > MAX_GROUPS || !renewal.takesSeveralKeys();
                if (full && !call.isEmpty()) {
                    renew(call);
                    call = new ArrayList<>();
                    groups = 0;
                }
                call.add(holds);
                groups += holds.groups.size();
            }
        }
        if (!call.isEmpty()) {
            renew(call);
        }
    }

    /** The holds of a key, in parts of what fits one call. */
    private List<KeyHolds> holdsOf(String key) {
        List<KeyHolds> parts = new ArrayList<>();
        held.computeIfPresent(key, (unused, holds) -> {
            List<Group> groups = new ArrayList<>();
            for (Held each : holds.values()) {
                groups.add(new Group(each.taken, each.count));
                if (groups.size() == MAX_GROUPS) {
                    parts.add(new KeyHolds(key, List.copyOf(groups)));
                    groups.clear();
                }
            }
            if (!groups.isEmpty()) {
                parts.add(new KeyHolds(key, List.copyOf(groups)));
            }
            return holds;
        });
        return parts;
    }

    private void renew(List<KeyHolds> holds) {
        renewal.renew(holds, renewed -> {
            if (renewed.isEmpty()) {
                renewSoon(holds);
                return;
            }
            int next = 0;
            for (KeyHolds each : holds) {
                for (Group group : each.groups) {
                    if (next < renewed.size()) {
                        note(each.key, group, renewed.get(next++));
                    }
                }
            }
        });
    }

    private void note(String key, Group group, Renewed renewed) {
        long[] found = {0, 0};
        held.computeIfPresent(key, (unused, holds) -> {
            Held now = holds.get(HoldId.of(group.taken));
            if (now != null) {
                found[0] = now.count;
                found[1] = renewed.lost - now.lost;
                now.lost = renewed.lost;
            }
            return holds;
        });
        counters.restored().add(renewed.restored);
        // released while they were added again: nobody else would release them
        boolean alikeAreHeld =
                found[0] > 0; // if the release came later than the renewal, another would end one of those
        for (long i = alikeAreHeld ? 0 : Math.min(renewed.restored, group.count); i > 0; i--) {
            renewal.release(key, group.taken);
        }
        if (found[1] > 0) {
            counters.lost().add(found[1]);
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} holds of {1} permits each were lost, and others hold the permits now: more are in use than the"
                            + " limit allows, until they are released",
                    found[1],
                    group.taken.charged());
        }
    }
}
