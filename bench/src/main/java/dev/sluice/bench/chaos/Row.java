package dev.sluice.bench.chaos;

import dev.sluice.OnFailure;
import dev.sluice.redis.RedisCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one party saw of one fault.
 *
 * @param scene the fault, when it was, and what is allowed to happen
 * @param longestNanos the longest call
 * @param longestRunningNanos the same without the time during which this machine stood still
 * @param thrown calls that threw
 * @param firstThrown what the first of them threw
 * @param overByRedis permits that Redis granted beyond the limit
 * @param overByPolicy permits beyond the limit that were granted without Redis
 * @param normalAfterNanos from the end of the fault to the first answer of Redis, if there was one
 * @param policyUntilNanos from the end of the fault to the last call that was decided without Redis; 0 if none was
 */
record Row(
        Setting scene,
        Party party,
        int calls,
        long longestNanos,
        long longestRunningNanos,
        long thrown,
        @Nullable Throwable firstThrown,
        RedisCounters counters,
        long overByRedis,
        long boundByRedis,
        long overByPolicy,
        OptionalLong boundByPolicy,
        OptionalLong normalAfterNanos,
        long policyUntilNanos) {

    /** A fault as it happened: when it was about to, when it had, and when it was mended. */
    record Setting(
            String fault,
            Effort effort,
            Forgets forgets,
            boolean isFelt,
            long beganNanos,
            long begunNanos,
            long endedNanos) {}

    static Row of(
            Setting scene,
            Party party,
            List<Call> calls,
            RedisCounters counters,
            @Nullable Throwable firstThrown,
            Stalls stalls) {
        Admitted admitted = Admitted.of(scene, calls);
        return new Row(
                scene,
                party,
                calls.size(),
                calls.stream().mapToLong(Call::nanos).max().orElse(0),
                calls.stream().mapToLong(stalls::nanosWithout).max().orElse(0),
                calls.stream()
                        .filter(call -> call.answer() == Call.Answer.THROWN)
                        .count(),
                firstThrown,
                counters,
                admitted.overByRedis,
                admitted.boundByRedis,
                admitted.overByPolicy,
                boundByPolicy(scene.effort, party.policy()),
                normalAfter(scene, calls),
                policyUntil(scene, calls));
    }

    /** What breaks its bound, a sentence each. */
    List<String> breaches() {
        List<String> all = new ArrayList<>();
        if (longestRunningNanos > scene.effort.longestCall().toNanos()) {
            all.add("a call took " + millis(longestRunningNanos) + " ms, more than twice the timeout of "
                    + scene.effort.timeout().toMillis() + " ms");
        }
        if (thrown > 0) {
            all.add(thrown + " calls threw, the first " + firstThrown);
        }
        if (overByRedis > boundByRedis) {
            all.add("Redis granted " + overByRedis + " permits too many, and only " + boundByRedis
                    + " can be explained: " + scene.forgets.why);
        }
        if (boundByPolicy.isPresent() && overByPolicy > boundByPolicy.getAsLong()) {
            all.add("the policy granted " + overByPolicy + " permits too many, more than " + boundByPolicy.getAsLong());
        }
        if (normalAfterNanos.isEmpty()) {
            all.add("Redis never decided again after the fault");
        }
        if (scene.isFelt && byPolicy() == 0) {
            all.add("no call was decided by the policy: the fault was not felt, and shows nothing");
        }
        wrongPolicy().ifPresent(all::add);
        return all.stream()
                .map(breach -> scene.fault + ", " + party.clientName() + ", " + party.policyName() + ": " + breach)
                .toList();
    }

    private long byPolicy() {
        return counters.allowedByPolicy() + counters.deniedByPolicy() + counters.decidedLocally();
    }

    private Optional<String> wrongPolicy() {
        long expected = switch (party.policy()) {
            case ALLOW -> counters.allowedByPolicy();
            case DENY -> counters.deniedByPolicy();
            case LOCAL -> counters.decidedLocally();
        };
        return expected == byPolicy()
                ? Optional.empty()
                : Optional.of("another policy than " + party.policyName() + " was followed: " + counters);
    }

    /** This process keeps the limit by itself, from zero. */
    private static OptionalLong boundByPolicy(Effort effort, OnFailure policy) {
        return switch (policy) {
            case ALLOW -> OptionalLong.empty();
            case DENY -> OptionalLong.of(0);
            case LOCAL -> OptionalLong.of((long) Traffic.KEYS * effort.permits());
        };
    }

    private static OptionalLong normalAfter(Setting scene, List<Call> calls) {
        return calls.stream()
                .filter(call -> call.answer() == Call.Answer.GRANTED_BY_REDIS && call.isFresh())
                .filter(call -> call.beganNanos() - scene.endedNanos >= 0)
                .mapToLong(call -> call.endedNanos() - scene.endedNanos)
                .min();
    }

    /** Redis never denies a fresh key. */
    private static long policyUntil(Setting scene, List<Call> calls) {
        return calls.stream()
                .filter(call -> call.answer() != Call.Answer.GRANTED_BY_REDIS && call.isFresh())
                .mapToLong(call -> call.endedNanos() - scene.endedNanos)
                .max()
                .stream()
                .map(nanos -> Math.max(0, nanos))
                .findFirst()
                .orElse(0);
    }

    static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** What was granted beyond the limit, added up over the keys. */
    private static final class Admitted {
        private long overByRedis;
        private long boundByRedis;
        private long overByPolicy;

        static Admitted of(Setting scene, List<Call> calls) {
            Admitted all = new Admitted();
            for (int key = 0; key < Traffic.KEYS; key++) {
                all.add(scene, calls, key);
            }
            return all;
        }

        private void add(Setting scene, List<Call> calls, int key) {
            long byRedis = 0;
            long byPolicy = 0;
            long forgotten = 0;
            for (Call call : calls) {
                if (call.key() == key && call.answer() == Call.Answer.GRANTED_BY_REDIS) {
                    byRedis++;
                    forgotten += scene.forgets.concerns(call, scene.beganNanos, scene.begunNanos) ? 1 : 0;
                } else if (call.key() == key && call.answer() == Call.Answer.GRANTED_BY_POLICY) {
                    byPolicy++;
                }
            }
            long over = Math.max(0, byRedis + byPolicy - scene.effort.permits());
            long redis = Math.max(0, byRedis - scene.effort.permits());
            overByRedis += redis;
            boundByRedis += forgotten;
            overByPolicy += over - redis;
        }
    }
}
