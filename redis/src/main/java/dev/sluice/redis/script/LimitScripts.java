package dev.sluice.redis.script;

import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.spi.LimitChange;
import dev.sluice.spi.LimiterDecision;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a limiter, with the scripts that decide on them and their arguments.
 *
 * <p>The list of limits is the same for as long as the limits stay the same, so that users can cache what they derive from
 * it.
 */
public final class LimitScripts {
    /** What a script does: the first two are of {@link #decide}, the others of {@link #settle}. */
    public enum Operation {
        PEEK(0),
        TAKE(1),
        REFUND(0),
        RELEASE(1);

        /** The first argument of the script. */
        private final int number;

        Operation(int number) {
            this.number = number;
        }
    }

    /** Any delay is acceptable. */
    public static final long ANY_DELAY = Long.MAX_VALUE;

    /** The most that the requests of one script may {@linkplain #cost cost} together, if there are several. */
    public static final long MAX_COST = 1000;

    /** The numbers before those of the limits in a group: what to do, and the number of runs. */
    private static final int OF_A_GROUP = 2;
    /** The numbers of a run before its rooms: requests, permits of each, and the longest delay. */
    private static final int OF_A_RUN = 3;
    /** Those that a request by itself lacks: the number of runs, and that of requests. */
    private static final int NOT_ALONE = 2;

    /** The most permits of a request in a run of several: those of a whole script are counted exactly. */
    private static final long MAX_RUN_PERMITS = Limit.MAX_PERMITS / 1024;

    private static final int WHOLE = 100;

    private final List<Limit> limits;
    private final List<ScriptArguments> arguments;
    private final String clock;
    private final long leaseMicros;
    private final boolean holds;
    private final boolean delays;
    private final long capacity;
    private final List<String> names;
    private final Script decide;
    private final Script decideAlone;
    private final Script settle;
    /** The numbers of all limits. */
    private final double[] numbers;

    private LimitScripts(List<Limit> limits, List<ScriptArguments> arguments, String clock, long leaseMicros) {
        this.limits = limits;
        this.arguments = List.copyOf(arguments);
        this.clock = clock;
        this.leaseMicros = leaseMicros;
        this.holds = limits.stream().anyMatch(Limit::holds);
        this.delays = limits.stream().anyMatch(Limit::delays);
        this.capacity = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
        this.names = arguments.stream()
                .flatMap(each -> Stream.concat(
                        Stream.of(each.identity()), each.earlier().stream().map(ScriptArguments.Earlier::identity)))
                .toList();
        List<Script.Part> parts = parts(arguments);
        this.decide = Script.of("decide", clock, parts);
        this.decideAlone = Script.alone("decide", clock, parts);
        this.settle = Script.of("settle", clock, parts);
        this.numbers = arguments.stream()
                .flatMap(each -> each.numbers().stream())
                .mapToDouble(Long::doubleValue)
                .toArray();
    }

    /** The scripts for these limits when the server's time is {@code serverMicros}. */
    public static LimitScripts of(List<Limit> limits, String clock, long leaseMicros, long serverMicros) {
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("a limiter needs at least one limit");
        }
        return new LimitScripts(limits, ScriptArguments.of(limits, serverMicros, leaseMicros), clock, leaseMicros);
    }

    /** The scripts for the limits of several limiters, in their order. */
    public static LimitScripts combined(List<LimitScripts> all) {
        List<ScriptArguments> arguments =
                all.stream().flatMap(each -> each.arguments.stream()).toList();
        List<Limit> limits = arguments.stream().map(ScriptArguments::limit).toList();
        return new LimitScripts(limits, arguments, all.get(0).clock, all.get(0).leaseMicros);
    }

    /** The scripts for other limits after these, which continue the counts of these. */
    public LimitScripts changedTo(List<Limit> next, long serverMicros, long nowNanos) {
        LimitScripts fresh = of(next, clock, leaseMicros, serverMicros);
        return new LimitScripts(next, ScriptArguments.after(arguments, fresh.arguments, nowNanos), clock, leaseMicros);
    }

    /** The same limits at another time, which gives calendar windows another start and end. */
    public LimitScripts at(long serverMicros) {
        List<ScriptArguments> then = ScriptArguments.of(limits, serverMicros, leaseMicros);
        List<ScriptArguments> named = new ArrayList<>(then.size());
        for (int i = 0; i < then.size(); i++) {
            ScriptArguments now = arguments.get(i);
            named.add(then.get(i).withNames(now.identity(), now.earlier(), now.returns()));
        }
        return new LimitScripts(limits, named, clock, leaseMicros);
    }

    /**
     * The same limits at an instant of {@link System#nanoTime}. For one period they look at the counts of those before them:
     * later none of them would count any more.
     */
    public LimitScripts current(LongSupplier nanoTime) {
        boolean continuesOthers = names.size() > limits.size();
        if (!continuesOthers) {
            return this; // the usual case, at no cost
        }
        long now = nanoTime.getAsLong();
        if (arguments.stream().noneMatch(each -> each.continuesOver(now))) {
            return this;
        }
        List<ScriptArguments> rest =
                arguments.stream().map(each -> each.withoutOver(now)).toList();
        return new LimitScripts(limits, rest, clock, leaseMicros);
    }

    public List<Limit> limits() {
        return limits;
    }

    /** The text of the script file that reads the time. */
    public String clock() {
        return clock;
    }

    /** How long permits stay held after their holder has died. */
    public long leaseMicros() {
        return leaseMicros;
    }

    /** Whether permits are held until they are released. */
    public boolean holds() {
        return holds;
    }

    /** Whether a request may be admitted with a delay. */
    public boolean delays() {
        return delays;
    }

    /** The most permits that one request can get. */
    public long capacity() {
        return capacity;
    }

    /** The last parts of the names of the limits' own states, in their order. */
    public List<String> identities() {
        return arguments.stream().map(ScriptArguments::identity).toList();
    }

    /** The last parts of the names of the keys that the scripts use. */
    public List<String> names() {
        return names;
    }

    /** Takes permits, or peeks, for one request or several. */
    public Script decide() {
        return decide;
    }

    /** The same for one request, in less time. */
    public Script decideAlone() {
        return decideAlone;
    }

    /** Refunds or releases permits. */
    public Script settle() {
        return settle;
    }

    /** Says what is in use; {@link UsageReply} reads its reply. */
    public Script usage() {
        return Script.of("usage", clock, parts(arguments));
    }

    private static List<Script.Part> parts(List<ScriptArguments> arguments) {
        return arguments.stream()
                .map(each -> new Script.Part(each.script(), each.earlier().size(), each.returns()))
                .toList();
    }

    /** The permits of a limit that a request may have in use which may use {@code percent} of it. */
    long room(int limit, int percent) {
        return arguments.get(limit).room(percent);
    }

    /** About how long a request keeps Redis busy, in microseconds. */
    public long cost(long permits) {
        long cost = 0;
        for (ScriptArguments each : arguments) {
            cost += each.cost(Math.min(permits, each.limit().capacity()));
        }
        return cost;
    }

    // ---- Arguments of decide

    /** The arguments of {@link #decideAlone} for a request that may use {@code percent} of each limit. */
    public byte[] arguments(Operation operation, long permits, long maxDelay, int percent) {
        return alone(operation, permits, maxDelay, limit -> percent);
    }

    /** The same with a percentage for each limit. */
    public byte[] arguments(Operation operation, long permits, long maxDelay, int[] percents) {
        return alone(operation, permits, maxDelay, limit -> percents[limit]);
    }

    private byte[] alone(Operation operation, long permits, long maxDelay, IntUnaryOperator percents) {
        byte[] all = new byte[groupBytes() + runBytes() - NOT_ALONE * Double.BYTES];
        ByteBuffer packed = packed(all).putDouble(operation.number);
        addNumbers(packed);
        addRequest(packed, permits, maxDelay, percents);
        return all;
    }

    /** Arguments or a reply, with numbers as the scripts have them. */
    public static ByteBuffer packed(byte[] numbers) {
        return ByteBuffer.wrap(numbers).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The time of a test, where it is not the server's. */
    public static byte[] packedTime(long micros) {
        byte[] time = new byte[Double.BYTES];
        packed(time).putDouble((double) micros);
        return time;
    }

    /** The bytes of a group without its runs. */
    public int groupBytes() {
        return (OF_A_GROUP + numbers.length) * Double.BYTES;
    }

    /** The bytes of one run in a group. */
    public int runBytes() {
        return (OF_A_RUN + limits.size()) * Double.BYTES;
    }

    /** Whether requests for so many permits, one after another, can be one run. */
    public boolean makeRuns(long permits) {
        return !holds && !delays && permits <= MAX_RUN_PERMITS;
    }

    /** Adds the beginning of a group of runs. */
    public void addGroup(ByteBuffer packed, Operation operation, int runs) {
        packed.putDouble(operation.number).putDouble(runs);
        addNumbers(packed);
    }

    private void addNumbers(ByteBuffer packed) {
        for (double number : numbers) {
            packed.putDouble(number);
        }
    }

    /** Adds as many requests, each of which may use {@code percent} of each limit. */
    public void addRun(ByteBuffer packed, int requests, long permits, long maxDelay, int percent) {
        packed.putDouble(requests);
        addRequest(packed, permits, maxDelay, limit -> percent);
    }

    private void addRequest(ByteBuffer packed, long permits, long maxDelay, IntUnaryOperator percents) {
        packed.putDouble(exact(permits)).putDouble((double) maxDelay);
        for (int i = 0; i < limits.size(); i++) {
            packed.putDouble((double) room(i, percents.applyAsInt(i)));
        }
    }

    /** The rate of a limit that is a bucket, else null. */
    @Nullable
    BucketRate bucketRate(int limit) {
        return arguments.get(limit).bucketRate();
    }

    /** Larger ones are inexact, and denied too. */
    private static double exact(long permits) {
        return (double) Math.min(permits, 2 * Limit.MAX_PERMITS);
    }

    // ---- Arguments of settle

    /** The arguments of {@link #settle} for a decision of which {@code unused} permits are refunded. */
    public byte[] arguments(Operation operation, LimiterDecision taken, long unused) {
        byte[] all = new byte[(4 + numbers.length + 2 * limits.size()) * Double.BYTES];
        ByteBuffer packed = packed(all)
                .putDouble((double) operation.number)
                .putDouble(exact(taken.charged()))
                .putDouble((double) taken.takenAtMicros())
                .putDouble((double) unused);
        addNumbers(packed);
        List<LimiterDecision> charged = (taken.parts().isEmpty() ? List.of(taken) : taken.parts())
                .stream().filter(part -> part.limitId() instanceof Limit).toList();
        List<Limit> then = charged.stream().map(part -> (Limit) part.limitId()).toList();
        List<Optional<Integer>> continued = LimitChange.continued(then, limits);
        for (int i = 0; i < limits.size(); i++) {
            Limit limit = limits.get(i);
            double mark = continued
                    .get(i)
                    .filter(from -> LimitChange.keepsRefunds(then.get(from), limit))
                    .map(from -> (double) charged.get(from).mark())
                    .orElse(Double.NEGATIVE_INFINITY);
            packed.putDouble((double) room(i, WHOLE)).putDouble(mark);
        }
        return all;
    }

    // ---- Arguments of usage

    /** The arguments of {@link #usage}. */
    public byte[] usageArguments() {
        byte[] all = new byte[(1 + numbers.length) * Double.BYTES];
        ByteBuffer packed = packed(all).putDouble((double) KeyUsage.MAX_SPANS);
        addNumbers(packed);
        return all;
    }
}
