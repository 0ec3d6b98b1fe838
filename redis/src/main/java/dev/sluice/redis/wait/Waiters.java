package dev.sluice.redis.wait;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The order of a wait queue: by arrival within each share, and by deadline.
 *
 * <p>A waiter bars those that came later and may use as much of the limit as it or less. So of each share only the first
 * can be next, and there are at most a hundred shares. Every operation costs O(log n), except {@link #all}.
 */
final class Waiters {
    private static final class Share {
        private final TreeMap<Long, Waiter> byArrival = new TreeMap<>();
        private long permits;
    }

    /** Highest share first. */
    private final TreeMap<Integer, Share> shares = new TreeMap<>(Comparator.reverseOrder());

    private final TreeSet<Waiter> byDeadline = new TreeSet<>((one, other) -> {
        long later = one.deadlineNanos - other.deadlineNanos; // instants on the clock of the JVM may overflow
        return later == 0 ? Long.compare(one.arrival, other.arrival) : Long.signum(later);
    });

    boolean isEmpty() {
        return byDeadline.isEmpty();
    }

    boolean contains(Waiter waiter) {
        return byDeadline.contains(waiter);
    }

    void add(Waiter waiter) {
        Share share = shares.computeIfAbsent(waiter.percent, percent -> new Share());
        share.byArrival.put(waiter.arrival, waiter);
        share.permits += waiter.permits;
        byDeadline.add(waiter);
    }

    /** Whether the waiter was there. */
    boolean remove(Waiter waiter) {
        if (!byDeadline.remove(waiter)) {
            return false;
        }
        Share share = shares.get(waiter.percent);
        if (share != null) {
            share.byArrival.remove(waiter.arrival);
            share.permits -= waiter.permits;
            if (share.byArrival.isEmpty()) {
                shares.remove(waiter.percent);
            }
        }
        return true;
    }

    /** The highest share of a waiter; 0 if there is none. */
    int highestShare() {
        return shares.isEmpty() ? 0 : shares.firstKey();
    }

    /** Of the waiters with a higher share than {@code percent}, the one that came first. */
    @Nullable
    Waiter firstAbove(int percent) {
        Waiter first = null;
        for (Share share : shares.headMap(percent).values()) {
            Waiter head = share.byArrival.firstEntry().getValue();
            first = first == null || head.arrival < first.arrival ? head : first;
        }
        return first;
    }

    /** Whether another waiter goes before this one. */
    boolean bar(Waiter waiter) {
        for (Share share : shares.headMap(waiter.percent, true).values()) {
            if (share.byArrival.firstKey() < waiter.arrival) {
                return true;
            }
        }
        return false;
    }

    /**
     * The permits of the waiters that go before this one; of some only, if a waiter came later that would not go before
     * it.
     */
    long permitsAhead(Waiter waiter) {
        long permits = 0;
        for (Share share : shares.headMap(waiter.percent, true).values()) {
            if (share.byArrival.lastKey() < waiter.arrival) {
                permits += share.permits;
            }
        }
        return permits;
    }

    /** The waiters whose deadline is before {@code nanos}. */
    List<Waiter> dueBefore(long nanos) {
        List<Waiter> due = new ArrayList<>();
        for (Waiter waiter : byDeadline) {
            if (waiter.deadlineNanos - nanos >= 0) {
                break;
            }
            due.add(waiter);
        }
        return due;
    }

    /** The waiters of one share, in the order of their arrival. */
    List<Waiter> ofShare(int percent) {
        Share share = shares.get(percent);
        return share == null ? List.of() : new ArrayList<>(share.byArrival.values());
    }

    Collection<Waiter> all() {
        return new ArrayList<>(byDeadline);
    }
}
