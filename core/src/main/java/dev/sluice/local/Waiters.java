package dev.sluice.local;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The order of a wait queue: by arrival within each share.
 *
 * <p>A waiter bars those who came later and may use as much of the limit as it or less. So of each share only the first
 * can be next, and there are at most a hundred shares: the next one is found without going through the queue.
 */
final class Waiters {
    /** The waiters of one share, on the way through the queue. */
    static final class Lane {
        private final Iterator<Waiter> rest;
        /** The next waiter of the share; null at the end. */
        @Nullable
        Waiter first;
        /** Whether nobody bars the first waiter. */
        boolean isNext;
        /** Whether others were served while nobody barred the first waiter. */
        boolean isOvertaken;

        private Lane(Iterator<Waiter> rest) {
            this.rest = rest;
            pass();
        }

        /** Goes on to the next waiter of the share. */
        void pass() {
            first = rest.hasNext() ? rest.next() : null;
            isOvertaken = false;
        }
    }

    /** Highest share first. */
    private final TreeMap<Integer, LinkedHashSet<Waiter>> byShare = new TreeMap<>(Comparator.reverseOrder());

    private long arrivals;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void add(Waiter waiter) {
        waiter.arrival = arrivals++;
        byShare.computeIfAbsent(waiter.percent, share -> new LinkedHashSet<>()).add(waiter);
        size++;
    }

    /** Whether the waiter was there. */
    boolean remove(Waiter waiter) {
        LinkedHashSet<Waiter> share = byShare.get(waiter.percent);
        if (share == null || !share.remove(waiter)) {
            return false;
        }
        if (share.isEmpty()) {
            byShare.remove(waiter.percent);
        }
        size--;
        return true;
    }

    /** The highest share of a waiter; 0 if there is none. */
    int highestShare() {
        return byShare.isEmpty() ? 0 : byShare.firstKey();
    }

    /** Whether nobody has another share than the others. */
    boolean haveOneShare() {
        return byShare.size() <= 1;
    }

    /** Whether a newcomer of this share would be served after all the others. */
    boolean isBehindAll(int percent) {
        return byShare.isEmpty() || percent <= byShare.lastKey();
    }

    /** Of the waiters with a higher share than {@code percent}, the one that came first. */
    @Nullable
    Waiter firstAbove(int percent) {
        Waiter first = null;
        for (LinkedHashSet<Waiter> share : byShare.headMap(percent).values()) {
            Waiter head = share.iterator().next();
            first = first == null || head.arrival < first.arrival ? head : first;
        }
        return first;
    }

    /** Everybody, in the order of arrival. */
    List<Waiter> all() {
        List<Waiter> all = new ArrayList<>(size);
        byShare.values().forEach(all::addAll);
        all.sort(Comparator.comparingLong(waiter -> waiter.arrival));
        return all;
    }

    /** A way through the queue, highest share first. */
    List<Lane> lanes() {
        List<Lane> lanes = new ArrayList<>(byShare.size());
        byShare.values().forEach(share -> lanes.add(new Lane(share.iterator())));
        return lanes;
    }
}
