package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.combine.Combiner;
import dev.sluice.redis.hold.LimiterHolds;
import dev.sluice.redis.script.KeyNames;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.ScriptReply;
import dev.sluice.redis.script.UsageReply;
import dev.sluice.spi.LeaseId;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The script calls of one limiter. When there is no reply, the failure policy decides. */
final class ScriptCalls {
    private static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(null);

    private final String limiterName;
    final ResilientConnection connection;
    final Combiner combiner;
    private final KeyNames names;
    private final FailurePolicy policy;
    final DenialCache denials;
    private final LimiterHolds holds;
    final @Nullable LongSupplier testMicros;
    private final BiConsumer<String, LimiterDecision> unclaimed;
    private volatile LimitScripts scripts;

    /** {@code unclaimed} gets the decisions on permits that nobody waits for any more. */
    ScriptCalls(
            String limiterName,
            RedisStore.Setup setup,
            LimitScripts scripts,
            OnFailure onFailure,
            BiConsumer<String, LimiterDecision> unclaimed) {
        this.limiterName = limiterName;
        this.connection = setup.connection();
        this.combiner = setup.combiner();
        this.names = new KeyNames(setup.prefix(), limiterName);
        this.policy = new FailurePolicy(onFailure, setup.counters(), setup.memory(), scripts.limits());
        this.denials = setup.denials();
        this.holds = new LimiterHolds(
                new EndOfHolds(),
                connection,
                names,
                setup.executor(),
                setup.counters().holds,
                scripts.leaseMicros(),
                limiterName,
                setup.holding());
        this.testMicros = setup.testMicros();
        this.scripts = scripts;
        this.unclaimed = unclaimed;
    }

    String limiterName() {
        return limiterName;
    }

    LimitScripts scripts() {
        return scripts;
    }

    FailurePolicy policy() {
        return policy;
    }

    /** Whether a denial may be repeated until its {@code retryAfter} without Redis. */
    boolean remembersDenials() {
        return testMicros == null && !scripts.holds() && !scripts.delays();
    }

    /** Whether somebody who has waited since then would not be answered within twice the timeout by another call. */
    boolean isLate(long askedAtNanos) {
        return combiner.isLate(askedAtNanos);
    }

    // ---- Decisions

    /** Takes the permits if they are admitted with a delay of at most {@code maxDelay} microseconds. */
    CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay) {
        return new DecisionCall(this, Operation.TAKE, key, permits, percent, maxDelay).ask(current());
    }

    /** Takes permits for several callers, the first of whom has waited since {@code askedAtNanos}. */
    CompletableFuture<Decision> takeForAll(String key, long permits, long askedAtNanos, IntSupplier callers) {
        return new DecisionCall(this, key, permits, askedAtNanos, callers).ask(current());
    }

    /** What {@link #take} would answer; takes nothing. */
    CompletableFuture<Decision> peek(String key, long permits, int percent) {
        return new DecisionCall(this, Operation.PEEK, key, permits, percent, LimitScripts.ANY_DELAY).ask(current());
    }

    /** What a key has used of each limit; fails if Redis does not answer. */
    CompletableFuture<List<KeyUsage>> usage(String key) {
        CompletableFuture<List<KeyUsage>> usage = new CompletableFuture<>();
        usage(key, current(), System.nanoTime(), usage);
        return usage;
    }

    private void usage(String key, LimitScripts called, long askedAtNanos, CompletableFuture<List<KeyUsage>> usage) {
        byte[][] arguments = withTime(called.usageArguments());
        connection.run(called.usage(), keyNames(called, key), arguments, ResilientConnection.ONE, bytes -> {
            ScriptReply reply = bytes == null ? null : new ScriptReply(bytes, called, 100);
            if (bytes == null || reply == null) {
                usage.completeExceptionally(new IllegalStateException("Redis did not answer"));
            } else if (!reply.isUndecided()) {
                usage.complete(UsageReply.read(bytes, called.limits().size()));
            } else if (combiner.isLate(askedAtNanos)) {
                usage.completeExceptionally(new IllegalStateException("Redis did not answer in time"));
            } else {
                usage(key, afterUndecided(called, reply), askedAtNanos, usage);
            }
        });
    }

    /** The answer of the failure policy. */
    Decision byPolicy(Operation operation, String key, long permits, int percent, long maxDelay) {
        return policy.decide(scripts, operation, key, permits, percent, maxDelay);
    }

    /** The scripts for asking again after a reply that left a call undecided. */
    LimitScripts afterUndecided(LimitScripts called, ScriptReply reply) {
        if (reply.isDamaged()) {
            combiner.damagedStates().found(limiterName);
        }
        return reply.isOutOfWindow() ? moveTo(called, reply.nowMicros()) : called;
    }

    /**
     * The scripts of a call at another time of the server, for calendar windows. They are in force from now on, unless the
     * limits were changed during the call.
     */
    private LimitScripts moveTo(LimitScripts called, long serverMicros) {
        return replace(called, called.at(serverMicros));
    }

    /**
     * Keeps the permits of a concurrency limit held from now on, if the scripts that were called hold any. If the limits
     * were changed during the call and hold nothing now, the caller will not release them: they end with their lease.
     */
    void renewIfHeld(LimitScripts called, String key, Decision decision) {
        if (decision.allowed() && called.holds() && scripts.holds()) {
            holds.add(key, LimiterDecision.of(decision));
        }
    }

    // ---- Permits that were taken

    /** Refunds the permits of a decision whose owner has completed the future. */
    void refundUnclaimed(String key, LimiterDecision taken) {
        unclaimed.accept(key, taken);
    }

    /**
     * Refunds the last {@code unused} permits; done when Redis has replied or cannot be reached. If Redis has not done it,
     * what is held is released later; rates stay taken, since a second refund would give others' permits back.
     */
    CompletableFuture<?> refund(String key, LimiterDecision taken, long unused) {
        boolean whole = unused == taken.permits();
        if (whole) {
            holds.remove(key, taken); // a part that is refunded stays held with the rest
        }
        if (taken.source() == Source.LOCAL) {
            policy.local().refund(key, taken, unused);
        }
        if (!isOnRedis(taken)) {
            return DONE;
        }
        if (whole && scripts.holds()) {
            return holds.refund(key, taken);
        }
        CompletableFuture<Boolean> refunded = new CompletableFuture<>();
        settle(Operation.REFUND, key, taken, unused, current(), System.nanoTime(), refunded::complete);
        return refunded;
    }

    /**
     * Releases permits of a concurrency limit; done when Redis has replied or cannot be reached. If Redis has not done it,
     * it is asked again. If the limits have been changed and hold nothing now, the hold is not renewed any more, and ends in
     * Redis with its lease.
     */
    CompletableFuture<?> release(String key, LimiterDecision taken) {
        holds.remove(key, taken);
        if (taken.source() == Source.LOCAL) {
            policy.local().release(key, taken);
        }
        return scripts.holds() && isOnRedis(taken) ? holds.release(key, taken) : DONE;
    }

    /** Ends holds on Redis. */
    private final class EndOfHolds implements LimiterHolds.Calls {
        @Override
        public LimitScripts scripts() {
            return scripts;
        }

        @Override
        public boolean release(String key, LimiterDecision taken, Consumer<Boolean> then) {
            if (!scripts.holds()) { // the limits were changed: whatever was held ends with its lease
                then.accept(true);
                return false;
            }
            return settle(Operation.RELEASE, key, taken, 0, current(), System.nanoTime(), then);
        }

        @Override
        public boolean refund(String key, LimiterDecision taken, Consumer<Boolean> then) {
            return settle(Operation.REFUND, key, taken, taken.permits(), current(), System.nanoTime(), then);
        }
    }

    // ---- Holds under a lease

    /** Ends the hold of a decision when the lease is over, or by the id. This process does not renew it any more. */
    CompletableFuture<OptionalLong> lease(String key, LimiterDecision taken, long leaseMicros) {
        holds.remove(key, taken);
        if (taken.source() == Source.LOCAL) {
            return policy.local().leaseAsync(key, taken, Duration.of(leaseMicros, ChronoUnit.MICROS));
        }
        if (taken.source() != Source.REDIS) { // allowed by a policy that counts nothing
            return CompletableFuture.completedFuture(OptionalLong.of(LeaseId.next()));
        }
        return holds.lease(key, taken, leaseMicros);
    }

    /** Ends a hold that Redis granted after the failure policy had decided; asks until Redis has done it. */
    void releaseLate(String key, LimiterDecision taken) {
        if (taken.allowed()) {
            var unused = holds.lease(key, taken, 0);
        }
    }

    /** Ends the hold of a lease, in Redis or in this process; whether there was one. */
    CompletableFuture<Boolean> releaseLease(String key, long id) {
        if (!scripts.holds()) {
            return CompletableFuture.completedFuture(false);
        }
        return holds.releaseLease(key, id).handle((found, failure) -> {
            if (Boolean.TRUE.equals(found)) {
                return true;
            }
            boolean here = policy.local().releaseLeaseAsync(key, id).join();
            if (!here && failure != null) {
                throw new CompletionException(failure);
            }
            return here;
        });
    }

    /** Whether it was taken on Redis, directly or in a batch: only that is settled there. */
    private static boolean isOnRedis(LimiterDecision taken) {
        return taken.source() == Source.REDIS || taken.source() == Source.BATCH;
    }

    /** {@code then} gets whether Redis has done it. Returns false if Redis was not asked. */
    private boolean settle(
            Operation operation,
            String key,
            LimiterDecision taken,
            long unused,
            LimitScripts scripts,
            long askedAtNanos,
            Consumer<Boolean> then) {
        byte[] arguments = scripts.arguments(operation, taken, unused);
        return connection.run(
                scripts.settle(), keyNames(scripts, key), withTime(arguments), ResilientConnection.ONE, bytes -> {
                    ScriptReply reply = bytes == null || !ScriptReply.isOfSettle(bytes)
                            ? null
                            : new ScriptReply(bytes, scripts, 100);
                    if (reply != null && reply.isUndecided()) {
                        LimitScripts next = afterUndecided(scripts, reply);
                        if (reply.isOutOfWindow() && !combiner.isLate(askedAtNanos)) {
                            settle(operation, key, taken, unused, next, askedAtNanos, then);
                            return;
                        }
                    }
                    then.accept(reply != null && !reply.isUndecided());
                });
    }

    // ---- Resetting and changing

    /** Deletes the state of a key, in Redis and in this process. Whether Redis has done so. */
    CompletableFuture<Boolean> reset(String key) {
        holds.removeAll(key);
        policy.local().reset(key);
        return connection.delete(keyNames(scripts, key));
    }

    synchronized void change(List<Limit> limits) {
        scripts = current().changedTo(limits, RedisStore.wallMicros(), System.nanoTime());
        policy.local().change(limits.toArray(Limit[]::new));
    }

    /** The scripts to call now. */
    LimitScripts current() {
        LimitScripts known = scripts;
        LimitScripts current = known.current(System::nanoTime);
        return current == known ? known : replace(known, current);
    }

    /** Puts scripts in the place of those that are in force, unless the limits have been changed meanwhile. */
    private synchronized LimitScripts replace(LimitScripts known, LimitScripts next) {
        if (scripts == known) {
            scripts = next;
        }
        return next;
    }

    // ---- Names and arguments

    /** The keys that the scripts use. */
    String[] keyNames(LimitScripts scripts, String key) {
        return names.of(key, scripts.names());
    }

    /** The arguments, with the time in tests, where it is not the server's. */
    byte[][] withTime(byte[] arguments) {
        return testMicros == null
                ? new byte[][] {arguments}
                : new byte[][] {arguments, LimitScripts.packedTime(testMicros.getAsLong())};
    }
}
