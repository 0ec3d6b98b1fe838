package dev.sluice.redis;

import dev.sluice.Limit;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits in force, as Redis is told of them.
 *
 * @param clock the script file text that says what time it is
 * @param holds whether permits are held until released
 * @param delays whether work may be admitted with a delay
 * @param capacity the most permits that can be had at once
 * @param tail the arguments of the scripts after the first three, for requests that may use all of every limit
 */
record Plan(
        List<Terms> terms,
        String clock,
        long leaseMicros,
        boolean holds,
        boolean delays,
        long capacity,
        Script decide,
        Script settle,
        List<String> tail) {
    /** The plan for these limits when it is {@code serverMicros} on the server. */
    static Plan of(List<Limit> limits, String clock, long leaseMicros, long serverMicros) {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("a limiter needs at least one limit");
        }
        List<Terms> terms = limits.stream()
                .map(limit -> Terms.of(limit, serverMicros, leaseMicros))
                .toList();
        List<String> algorithms = terms.stream().map(Terms::algorithm).toList();
        return new Plan(
                terms,
                clock,
                leaseMicros,
                limits.stream().anyMatch(Limit.Concurrency.class::isInstance),
                limits.stream().anyMatch(Plan::queues),
                limits.stream().mapToLong(Limit::capacity).min().orElseThrow(),
                Script.of("decide", clock, algorithms),
                Script.of("settle", clock, algorithms),
                tail(terms, 100));
    }

    /** The same limits at another time, which matters to windows that turn with a calendar. */
    Plan at(long serverMicros) {
        List<Terms> then = terms.stream()
                .map(each -> Terms.of(each.limit(), serverMicros, leaseMicros))
                .toList();
        return new Plan(then, clock, leaseMicros, holds, delays, capacity, decide, settle, tail(then, 100));
    }

    List<Limit> limits() {
        return terms.stream().map(Terms::limit).toList();
    }

    private static boolean queues(Limit limit) {
        return limit instanceof Limit.LeakyBucket leaky && leaky.flow() == Limit.LeakyBucket.Flow.QUEUE;
    }

    /** What the scripts are told. */
    String[] args(String verb, long cost, long third, int percent) {
        List<String> tail = percent == 100 ? this.tail : tail(terms, percent);
        String[] args = new String[3 + tail.size()];
        args[0] = verb;
        args[1] = Long.toString(Math.min(cost, 2 * Limit.MAX_PERMITS)); // beyond that doubles are not exact, nor needed
        args[2] = Long.toString(third);
        for (int i = 3; i < args.length; i++) {
            args[i] = tail.get(i - 3);
        }
        return args;
    }

    private static List<String> tail(List<Terms> terms, int percent) {
        List<String> args = new ArrayList<>();
        for (Terms each : terms) {
            args.add(Long.toString(each.limit().capacity()));
            args.add(Long.toString(each.reserve(percent)));
            each.numbers().forEach(number -> args.add(Long.toString(number)));
        }
        return List.copyOf(args);
    }
}
