package dev.sluice.examples.flashsale;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/** What became of each click and each request of the crowd. */
final class Tally {
    enum Who {
        HONEST,
        IMPATIENT,
        BOT
    }

    enum Call {
        STOCK,
        ORDER,
        PAYMENT
    }

    /** Where it ended. */
    enum End {
        /** A second click, which the page drops. */
        BROWSER,
        REFUSED_BY_NGINX,
        REFUSED_BY_SERVICE,
        REFUSED_BY_SHOP,
        DEGRADED,
        SERVED,
        SOLD_OUT,
        /** No response, or one that is none of these. */
        FAILED
    }

    record Event(Who who, Call call, End end) {
        boolean reachedService() {
            return end.compareTo(End.REFUSED_BY_NGINX) > 0;
        }

        boolean reachedShop() {
            return end.compareTo(End.REFUSED_BY_SERVICE) > 0;
        }

        boolean sent() {
            return end != End.BROWSER;
        }
    }

    private final Map<Event, LongAdder> events = new ConcurrentHashMap<>();

    void add(Who who, Call call, End end) {
        events.computeIfAbsent(new Event(who, call, end), event -> new LongAdder())
                .increment();
    }

    long count(Predicate<Event> which) {
        return events.entrySet().stream()
                .filter(entry -> which.test(entry.getKey()))
                .mapToLong(entry -> entry.getValue().sum())
                .sum();
    }

    long count(End end) {
        return count(event -> event.end() == end);
    }

    /** The part of some events that meet a condition, from 0 to 1. */
    double share(Predicate<Event> of, Predicate<Event> which) {
        return count(of.and(which)) / (double) Math.max(1, count(of));
    }
}
