package dev.sluice.bench.chaos;

import dev.sluice.bench.chaos.Call.Answer;
import dev.sluice.redis.RedisCounters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one caller saw of one fault.
 *
 * @param setting the fault, when it was, and what is allowed to happen
 * @param firstThrown what the first call threw that threw
 */
record CallerResult(
        Setting setting,
        Caller caller,
        List<Call> calls,
        RedisCounters counters,
        @Nullable Throwable firstThrown,
        Stalls stalls) {

    private static final long LONGEST_TO_HEAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A fault as it happened: when it was about to, when it had, and when it was mended. */
    record Setting(
            String fault,
            Schedule schedule,
            Forgets forgets,
            boolean isFelt,
            long beganNanos,
            long begunNanos,
            long endedNanos) {}

    static CallerResult of(Setting setting, Traffic traffic, List<Call> calls, Stalls stalls) {
        return new CallerResult(setting, traffic.caller(), calls, traffic.counters(), traffic.thrown(), stalls);
    }

    /** What breaks its bound, a sentence each. */
    List<String> breaches() {
        List<String> all = new ArrayList<>();
        long longest = calls.stream().mapToLong(stalls::nanosWithout).max().orElse(0);
        if (longest > setting.schedule.longestCall().toNanos()) {
            all.add("a call took " + millis(longest) + " ms, more than twice the timeout of "
                    + setting.schedule.timeout().toMillis() + " ms");
        }
        if (thrown() > 0) {
            all.add(thrown() + " calls threw, the first " + firstThrown);
        }
        if (overByRedis() > boundByRedis()) {
            all.add("Redis granted " + overByRedis() + " permits too many, and only " + boundByRedis()
                    + " can be explained: " + setting.forgets.why);
        }
        if (boundByPolicy().isPresent() && overByPolicy() > boundByPolicy().getAsLong()) {
            all.add("the policy granted " + overByPolicy() + " permits too many, more than "
                    + boundByPolicy().getAsLong());
        }
        if (normalAfterNanos().isEmpty()) {
            all.add("Redis never decided again after the fault");
        } else if (healedNanos() > LONGEST_TO_HEAL_NANOS) {
            all.add("Redis decided again " + millis(healedNanos())
                    + " ms after the fault, which is more than a second");
        }
        long byPolicy = counters.allowedByPolicy() + counters.deniedByPolicy() + counters.decidedLocally();
        if (setting.isFelt && byPolicy == 0) {
            all.add("no call was decided by the policy: the fault was not felt, and shows nothing");
        }
        long expected = switch (caller.policy()) {
            case ALLOW -> counters.allowedByPolicy();
            case DENY -> counters.deniedByPolicy();
            case LOCAL -> counters.decidedLocally();
        };
        if (expected != byPolicy) {
            all.add("another policy than " + caller.policyName() + " was followed: " + counters);
        }
        return all.stream()
                .map(breach -> setting.fault + ", " + caller.clientName() + ", " + caller.policyName() + ": " + breach)
                .toList();
    }

    /** The longest call. */
    long longestNanos() {
        return calls.stream().mapToLong(Call::nanos).max().orElse(0);
    }

    long thrown() {
        return calls.stream().filter(call -> call.answer() == Answer.THROWN).count();
    }

    /** Permits that Redis granted beyond the limit. */
    long overByRedis() {
        return over(Answer.GRANTED_BY_REDIS);
    }

    /** Permits that Redis may have forgotten, and so granted again. */
    long boundByRedis() {
        return calls.stream()
                .filter(call -> !call.isFresh() && call.answer() == Answer.GRANTED_BY_REDIS)
                .filter(call -> setting.forgets.concerns(call, setting.beganNanos, setting.begunNanos))
                .count();
    }

    /** Permits beyond the limit that were granted without Redis. */
    long overByPolicy() {
        return over(Answer.GRANTED_BY_REDIS, Answer.GRANTED_BY_POLICY) - overByRedis();
    }

    /** With the local policy this process keeps the limit by itself, from zero. */
    OptionalLong boundByPolicy() {
        return switch (caller.policy()) {
            case ALLOW -> OptionalLong.empty();
            case DENY -> OptionalLong.of(0);
            case LOCAL -> OptionalLong.of((long) Traffic.KEYS * setting.schedule.permits());
        };
    }

    /** From the end of the fault to the first answer of Redis, if there was one. */
    OptionalLong normalAfterNanos() {
        return calls.stream()
                .filter(call -> call.answer() == Answer.GRANTED_BY_REDIS && call.isFresh())
                .filter(call -> call.beganNanos() - setting.endedNanos >= 0)
                .mapToLong(call -> call.endedNanos() - setting.endedNanos)
                .min();
    }

    /** The same, without the time for which the machine stood still. */
    private long healedNanos() {
        long nanos = normalAfterNanos().orElse(0);
        return nanos - stalls.within(setting.endedNanos, setting.endedNanos + nanos);
    }

    /** From the end of the fault to the last call that was decided without Redis, which never denies a fresh key. */
    long policyUntilNanos() {
        return calls.stream()
                .filter(call -> call.answer() != Answer.GRANTED_BY_REDIS && call.isFresh())
                .mapToLong(call -> call.endedNanos() - setting.endedNanos)
                .reduce(0, Math::max);
    }

    static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** Permits granted in these ways beyond the limit, added up over the keys. */
    private long over(Answer... ways) {
        long[] granted = new long[Traffic.KEYS];
        calls.stream()
                .filter(call -> !call.isFresh() && List.of(ways).contains(call.answer()))
                .forEach(call -> granted[call.key()]++);
        return Arrays.stream(granted)
                .map(permits -> Math.max(0, permits - setting.schedule.permits()))
                .sum();
    }
}
