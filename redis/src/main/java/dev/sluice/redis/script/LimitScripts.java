package dev.sluice.redis.script;

import dev.sluice.Limit;
import dev.sluice.spi.LimitChange;
import dev.sluice.spi.LimiterDecision;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The limits of a limiter, with the scripts that decide on them and their arguments.
 *
 * @param limits the same list for as long as the limits stay the same, so that users can cache what they derive from it
 * @param arguments the arguments of each limit
 * @param clock the text of the script file that reads the time
 * @param leaseMicros how long permits stay held after their holder has died
 * @param holds whether permits are held until they are released
 * @param delays whether a request may be admitted with a delay
 * @param capacity the most permits that one request can get
 * @param decide takes permits, or peeks
 * @param settle refunds, releases or renews permits
 * @param packed the arguments for requests that may use all of every limit, after {@link #LEADING} free numbers
 */
public record LimitScripts(
        List<Limit> limits,
        List<ScriptArguments> arguments,
        String clock,
        long leaseMicros,
        boolean holds,
        boolean delays,
        long capacity,
        Script decide,
        Script settle,
        ByteBuffer packed) {
    /** What a script does: the first two are of {@link #decide}, the others of {@link #settle}. */
    public enum Operation {
        PEEK(0),
        TAKE(1),
        REFUND(0),
        RELEASE(1),
        RENEW(2);

        /** The first argument of the script. */
        private final int number;

        Operation(int number) {
            this.number = number;
        }
    }

    /** Any delay is acceptable. */
    public static final long ANY_DELAY = Long.MAX_VALUE;

    /** The numbers before those of the limits: what to do, the permits, and the longest delay or the time of taking. */
    private static final int LEADING = 3;

    /** The scripts for these limits when the server's time is {@code serverMicros}. */
    public static LimitScripts of(List<Limit> limits, String clock, long leaseMicros, long serverMicros) {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("a limiter needs at least one limit");
        }
        return ofArguments(ScriptArguments.of(limits, serverMicros, leaseMicros), clock, leaseMicros);
    }

    private static LimitScripts ofArguments(List<ScriptArguments> arguments, String clock, long leaseMicros) {
        List<String> algorithms =
                arguments.stream().map(ScriptArguments::script).toList();
        List<Limit> limits = arguments.stream().map(ScriptArguments::limit).toList();
        return new LimitScripts(
                limits,
                arguments,
                clock,
                leaseMicros,
                limits.stream().anyMatch(Limit::holds),
                limits.stream().anyMatch(Limit::delays),
                limits.stream().mapToLong(Limit::capacity).min().orElseThrow(),
                Script.of("decide", clock, algorithms),
                Script.of("settle", clock, algorithms),
                packed(arguments, limit -> 100));
    }

    /** The scripts for the limits of several limiters, in their order. */
    public static LimitScripts combined(List<LimitScripts> all) {
        return ofArguments(
                all.stream().flatMap(each -> each.arguments.stream()).toList(),
                all.get(0).clock,
                all.get(0).leaseMicros);
    }

    /** The same limits at another time, which gives calendar windows another start and end. */
    public LimitScripts at(long serverMicros) {
        List<ScriptArguments> then = ScriptArguments.of(limits, serverMicros, leaseMicros);
        return new LimitScripts(
                limits, then, clock, leaseMicros, holds, delays, capacity, decide, settle, packed(then, limit -> 100));
    }

    /** The arguments of {@link #decide} for a request that may use {@code percent} of each limit. */
    public byte[] arguments(Operation operation, long permits, long maxDelay, int percent) {
        ByteBuffer limits = percent == 100 ? packed : packed(arguments, limit -> percent);
        return arguments(limits, 0, operation, permits, maxDelay);
    }

    /** The same with a percentage for each limit. */
    public byte[] arguments(Operation operation, long permits, long maxDelay, int[] percents) {
        return arguments(packed(arguments, limit -> percents[limit]), 0, operation, permits, maxDelay);
    }

    /** The arguments of {@link #settle} for a decision of which {@code unused} permits are refunded. */
    public byte[] arguments(Operation operation, LimiterDecision taken, long unused) {
        byte[] all = arguments(packed, 1 + limits.size(), operation, taken.charged(), taken.takenAtMicros());
        ByteBuffer marks = ByteBuffer.wrap(all).position(packed.capacity()).putDouble((double) unused);
        List<LimiterDecision> charged = taken.parts().isEmpty() ? List.of(taken) : taken.parts();
        for (int i = 0; i < limits.size(); i++) {
            boolean same = i < charged.size()
                    && charged.get(i).limitId() instanceof Limit limit
                    && LimitChange.keepsRefunds(limit, limits.get(i));
            marks.putDouble(same ? (double) charged.get(i).mark() : Double.NEGATIVE_INFINITY);
        }
        return all;
    }

    /** The leading numbers, those of the limits, and room for {@code more}. */
    private static byte[] arguments(ByteBuffer packed, int more, Operation operation, long permits, long third) {
        byte[] arguments = new byte[packed.capacity() + more * Double.BYTES];
        packed.get(0, arguments, 0, packed.capacity());
        ByteBuffer.wrap(arguments)
                .putDouble((double) operation.number)
                .putDouble((double) Math.min(permits, 2 * Limit.MAX_PERMITS)) // larger ones are inexact, and denied too
                .putDouble((double) third);
        return arguments;
    }

    private static ByteBuffer packed(List<ScriptArguments> arguments, IntUnaryOperator percents) {
        int count = LEADING;
        for (ScriptArguments each : arguments) {
            count += 1 + each.numbers().size();
        }
        ByteBuffer packed = ByteBuffer.allocate(count * Double.BYTES).position(LEADING * Double.BYTES);
        for (int i = 0; i < arguments.size(); i++) {
            ScriptArguments each = arguments.get(i);
            packed.putDouble((double) each.room(percents.applyAsInt(i)));
            each.numbers().forEach(number -> packed.putDouble(number.doubleValue()));
        }
        return packed;
    }
}
