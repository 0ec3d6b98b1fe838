package dev.sluice.redis;

import dev.sluice.Limit;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The limits in force, as Redis is told of them.
 *
 * @param limits the same list for as long as the limits stay the same, so that others can remember what they made of it
 * @param clock the script file text that says what time it is
 * @param holds whether permits are held until released
 * @param delays whether work may be admitted with a delay
 * @param capacity the most permits that can be had at once
 * @param numbers what the scripts are told for requests that may use all of every limit
 */
record Plan(
        List<Limit> limits,
        List<Terms> terms,
        String clock,
        long leaseMicros,
        boolean holds,
        boolean delays,
        long capacity,
        Script decide,
        Script settle,
        ByteBuffer numbers) {
    private static final int FIRST_NUMBERS = 3;

    /** The plan for these limits when it is {@code serverMicros} on the server. */
    static Plan of(List<Limit> limits, String clock, long leaseMicros, long serverMicros) {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("a limiter needs at least one limit");
        }
        return ofTerms(
                limits.stream()
                        .map(limit -> Terms.of(limit, serverMicros, leaseMicros))
                        .toList(),
                clock,
                leaseMicros);
    }

    private static Plan ofTerms(List<Terms> terms, String clock, long leaseMicros) {
        List<String> algorithms = terms.stream().map(Terms::algorithm).toList();
        List<Limit> limits = terms.stream().map(Terms::limit).toList();
        return new Plan(
                limits,
                terms,
                clock,
                leaseMicros,
                limits.stream().anyMatch(Limit.Concurrency.class::isInstance),
                limits.stream().anyMatch(Plan::queues),
                limits.stream().mapToLong(Limit::capacity).min().orElseThrow(),
                Script.of("decide", clock, algorithms),
                Script.of("settle", clock, algorithms),
                numbers(terms, limit -> 100));
    }

    /** One plan for the limits of several, in their order. */
    static Plan together(List<Plan> plans) {
        return ofTerms(
                plans.stream().flatMap(plan -> plan.terms.stream()).toList(),
                plans.get(0).clock,
                plans.get(0).leaseMicros);
    }

    /** The same limits at another time, which matters to windows that turn with a calendar. */
    Plan at(long serverMicros) {
        List<Terms> then = terms.stream()
                .map(each -> Terms.of(each.limit(), serverMicros, leaseMicros))
                .toList();
        return new Plan(
                limits, then, clock, leaseMicros, holds, delays, capacity, decide, settle, numbers(then, limit -> 100));
    }

    private static boolean queues(Limit limit) {
        return limit instanceof Limit.LeakyBucket leaky && leaky.flow() == Limit.LeakyBucket.Flow.QUEUE;
    }

    /** What the scripts are told: three numbers, then those of each limit. */
    byte[] args(long verb, long cost, long third, int percent) {
        return args(percent == 100 ? numbers : numbers(terms, limit -> percent), verb, cost, third);
    }

    /** The same with a share for each limit. */
    byte[] args(long verb, long cost, long third, int[] percents) {
        return args(numbers(terms, limit -> percents[limit]), verb, cost, third);
    }

    private static byte[] args(ByteBuffer all, long verb, long cost, long third) {
        byte[] args = new byte[all.capacity()];
        all.get(0, args);
        ByteBuffer.wrap(args)
                .putDouble((double) verb)
                .putDouble((double) Math.min(cost, 2 * Limit.MAX_PERMITS)) // beyond that inexact, and not needed
                .putDouble((double) third);
        return args;
    }

    /** The numbers of each limit, after room for three more. */
    private static ByteBuffer numbers(List<Terms> terms, IntUnaryOperator percents) {
        int count = FIRST_NUMBERS;
        for (Terms each : terms) {
            count += 1 + each.numbers().size();
        }
        ByteBuffer packed = ByteBuffer.allocate(count * Double.BYTES).position(FIRST_NUMBERS * Double.BYTES);
        for (int i = 0; i < terms.size(); i++) {
            Terms each = terms.get(i);
            packed.putDouble((double) each.room(percents.applyAsInt(i)));
            each.numbers().forEach(number -> packed.putDouble(number.doubleValue()));
        }
        return packed;
    }
}
