package dev.sluice.server.history;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends what this server counted to the others, and adds what they counted to the history here.
 *
 * <p>While the others cannot be reached, what this server counts waits, as long as it would be kept anyway, and is sent
 * when they can be reached again. So the sum heals.
 */
final class HistorySharing implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HistorySharing.class.getName());
    private static final int MAX_WAITING = History.SECONDS + History.MINUTES;

    private final SharedHistory shared;
    private final History history;
    private final InstantSource clock;
    private final Deque<Outgoing> waiting = new ArrayDeque<>();
    private final Map<SharedSlot.Span, Long> numbers = new EnumMap<>(SharedSlot.Span.class);
    private boolean hoursDue = true;
    private boolean clockKnown;
    private volatile long offsetMillis;
    private volatile boolean reachable = true;
    private volatile List<FleetServer> others = List.of();

    private record Outgoing(SharedSlot slot, long number) {}

    HistorySharing(SharedHistory shared, History history, InstantSource clock) {
        this.shared = shared;
        this.history = history;
        this.clock = clock;
    }

    /** The clock that servers share, less the one here. */
    long offsetMillis() {
        return offsetMillis;
    }

    boolean isReachable() {
        return reachable;
    }

    /** The other servers, as they were when they could last be reached. */
    List<FleetServer> others() {
        return others;
    }

    /** Sends a slot of this server with the next exchange. */
    void offer(SharedSlot slot) {
        synchronized (waiting) {
            waiting.add(new Outgoing(slot, numbers.merge(slot.span(), 1L, Long::sum)));
            if (waiting.size() > MAX_WAITING) {
                waiting.remove();
            }
        }
    }

    /** Sends and reads what is new. One thread calls it. */
    void exchange(FleetServer self) {
        try {
            if (!clockKnown) {
                offsetMillis = shared.clock() - clock.millis();
                clockKnown = true;
            }
            publish();
            shared.announce(self);
            long now = nowSeconds();
            shared.news().forEach(slot -> history.add(slot, now));
            others = shared.others(now);
            if (hoursDue) {
                SharedHistory.ByHour hours = shared.hours();
                if (hours.since() > 0) {
                    history.hours(hours.byHour(), hours.since());
                }
                hoursDue = false;
            }
            reached(true, null);
        } catch (SharedHistory.UnreachableException e) {
            reached(false, e);
        }
    }

    private void publish() {
        for (Outgoing next = first(); next != null; next = first()) {
            long before = clock.millis();
            long theirs = shared.publish(next.slot(), next.number());
            long after = clock.millis();
            offsetMillis = theirs - (before + after) / 2;
            hoursDue |= next.slot().span() == SharedSlot.Span.MINUTE;
            synchronized (waiting) {
                if (next.equals(waiting.peek())) { // and was not left out meanwhile, for want of room
                    waiting.remove();
                }
            }
        }
    }

    private @Nullable Outgoing first() {
        synchronized (waiting) {
            return waiting.peek();
        }
    }

    private long nowSeconds() {
        return Math.floorDiv(clock.millis() + offsetMillis, 1000);
    }

    private void reached(boolean now, @Nullable Exception failure) {
        if (now != reachable) {
            reachable = now;
            LOG.log(
                    now ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
                    now
                            ? "the history is shared with the other servers again"
                            : "the history of the other servers does not arrive here: {0}",
                    failure == null ? "" : failure.getMessage());
        }
    }

    @Override
    public void close() {
        shared.close();
    }
}
