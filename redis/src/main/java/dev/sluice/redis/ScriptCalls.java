package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.redis.DenialCache.Standing;
import dev.sluice.redis.HoldRenewals.KeyHolds;
import dev.sluice.redis.HoldRenewals.Renewed;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.script.KeyNames;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.ScriptReply;
import dev.sluice.spi.LeaseId;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The script calls of one limiter. When there is no reply, the failure policy decides. */
final class ScriptCalls {
    /** How often a call is repeated that Redis left undecided; a clock that jumps on and on is not followed. */
    static final int MAX_REPEATS = 4;

    private static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(null);

    private final String limiterName;
    private final ResilientConnection connection;
    private final Combiner combiner;
    private final KeyNames names;
    private final FailurePolicy policy;
    private final DenialCache denials;
    private final HoldRenewals renewals;
    private final @Nullable LongSupplier testMicros;
    private volatile LimitScripts scripts;
    /** Until when the counts of the limits before the last change are looked at. */
    private volatile long continuesUntilNanos;

    ScriptCalls(String limiterName, RedisStore.Setup setup, LimitScripts scripts, OnFailure onFailure) {
        this.limiterName = limiterName;
        this.connection = setup.connection();
        this.combiner = setup.combiner();
        this.names = new KeyNames(setup.prefix(), limiterName);
        this.policy = new FailurePolicy(onFailure, setup.counters(), setup.memory(), scripts.limits());
        this.denials = setup.denials();
        this.renewals = new HoldRenewals(new Renewals(), setup.executor(), setup.counters(), scripts.leaseMicros());
        this.testMicros = setup.testMicros();
        this.scripts = scripts;
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
        return take(key, permits, percent, maxDelay, System.nanoTime());
    }

    /** The same for somebody who has waited since {@code askedAtNanos}. */
    CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay, long askedAtNanos) {
        return new DecisionCall(Operation.TAKE, key, permits, percent, maxDelay, askedAtNanos).ask(current());
    }

    /** What {@link #take} would answer; takes nothing. */
    CompletableFuture<Decision> peek(String key, long permits, int percent) {
        return new DecisionCall(Operation.PEEK, key, permits, percent, LimitScripts.ANY_DELAY, System.nanoTime())
                .ask(current());
    }

    /** The answer of the failure policy. */
    Decision byPolicy(Operation operation, String key, long permits, int percent, long maxDelay) {
        return policy.decide(scripts, operation, key, permits, percent, maxDelay);
    }

    /** One decision: the future, and the receiver of the script's reply. */
    private final class DecisionCall extends CompletableFuture<Decision> implements Combiner.Request {
        private final Operation operation;
        private final String key;
        private final long permits;
        private final int percent;
        private final long maxDelay;
        private final long askedAtNanos;
        private final long testTime = testMicros == null ? 0 : testMicros.getAsLong();
        private LimitScripts called = scripts;
        private String[] keys = {};
        private int repeats;

        DecisionCall(Operation operation, String key, long permits, int percent, long maxDelay, long askedAtNanos) {
            this.operation = operation;
            this.key = key;
            this.permits = permits;
            this.percent = percent;
            this.maxDelay = maxDelay;
            this.askedAtNanos = askedAtNanos;
        }

        CompletableFuture<Decision> ask(LimitScripts scripts) {
            if (connection.isOpen()) {
                decided(null);
                return this;
            }
            called = scripts;
            keys = keyNames(scripts, key);
            combiner.ask(this);
            return this;
        }

        @Override
        public void decided(@Nullable ScriptReply reply) {
            if (reply != null && reply.isUndecided()) {
                LimitScripts next = afterUndecided(called, reply);
                if (repeats++ < MAX_REPEATS) {
                    if (reply.isClockBehind()) {
                        combiner.askAlone(this);
                    } else {
                        ask(next);
                    }
                    return;
                }
                reply = null;
            }
            complete(
                    reply == null
                            ? byPolicy(operation, key, permits, percent, maxDelay)
                            : remembered(reply.decision(permits, maxDelay)));
        }

        private Decision remembered(LimiterDecision decision) {
            if (!decision.allowed() && remembersDenials()) {
                Standing denied = Standing.of(ScriptCalls.this, key, percent, decision);
                denials.add(denied, called.limits(), List.of(), askedAtNanos);
            }
            if (operation == Operation.PEEK) {
                return decision.untaken();
            }
            renewIfHeld(called, key, decision);
            return decision;
        }

        @Override
        public LimitScripts scripts() {
            return called;
        }

        @Override
        public String[] keys() {
            return keys;
        }

        @Override
        public Operation operation() {
            return operation;
        }

        @Override
        public long permits() {
            return permits;
        }

        @Override
        public long maxDelay() {
            return maxDelay;
        }

        @Override
        public int percent() {
            return percent;
        }

        @Override
        public long askedAtNanos() {
            return askedAtNanos;
        }

        @Override
        public long testMicros() {
            return testTime;
        }
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
    synchronized LimitScripts moveTo(LimitScripts called, long serverMicros) {
        LimitScripts moved = called.at(serverMicros);
        if (scripts == called) {
            scripts = moved;
        }
        return moved;
    }

    /**
     * Keeps the permits of a concurrency limit held from now on, if the scripts that were called hold any. If the limits
     * were changed during the call and hold nothing now, the caller will not release them: they end with their lease.
     */
    void renewIfHeld(LimitScripts called, String key, Decision decision) {
        if (decision.allowed() && called.holds() && scripts.holds()) {
            renewals.add(key, LimiterDecision.of(decision));
        }
    }

    // ---- Permits that were taken

    /** Refunds the last {@code unused} permits; done when Redis has replied or cannot be reached. */
    CompletableFuture<?> refund(String key, LimiterDecision taken, long unused) {
        if (unused == taken.permits()) {
            renewals.remove(key, taken); // a part that is refunded stays held with the rest
        }
        if (taken.source() == Source.LOCAL) {
            policy.local().refund(key, taken, unused);
        }
        return settle(Operation.REFUND, key, taken, unused);
    }

    /**
     * Releases permits of a concurrency limit; done when Redis has replied or cannot be reached. If the limits have been
     * changed and hold nothing now, the hold is not renewed any more, and ends in Redis with its lease.
     */
    CompletableFuture<?> release(String key, LimiterDecision taken) {
        renewals.remove(key, taken);
        if (taken.source() == Source.LOCAL) {
            policy.local().release(key, taken);
        }
        return scripts.holds() ? settle(Operation.RELEASE, key, taken, 0) : DONE;
    }

    /** Renews the holds of this limiter. */
    private final class Renewals implements HoldRenewals.Renewal {
        @Override
        public void renew(List<KeyHolds> holds, Consumer<List<Renewed>> then) {
            LimitScripts called = scripts;
            if (called.holds()) {
                RenewalCall call = new RenewalCall(holds, called);
                connection.run(
                        RenewalCall.SCRIPT,
                        call.keyNames(ScriptCalls.this),
                        new byte[][] {call.arguments()},
                        ResilientConnection.ONE,
                        reply -> then.accept(reply == null ? List.of() : call.renewed(reply)));
            }
        }

        @Override
        public boolean takesSeveralKeys() {
            return connection.isOneMaster();
        }

        @Override
        public void release(String key, LimiterDecision taken) {
            settle(Operation.RELEASE, key, taken, 0);
        }
    }

    // ---- Holds under a lease

    /**
     * Ends the hold of a decision when the lease is over. This process does not renew it any more. If Redis does not reply,
     * the hold ends there with the lease of the store.
     */
    CompletableFuture<OptionalLong> lease(String key, LimiterDecision taken, long leaseMicros) {
        renewals.remove(key, taken);
        if (taken.source() == Source.LOCAL) {
            return policy.local().leaseAsync(key, taken, Duration.of(leaseMicros, ChronoUnit.MICROS));
        }
        long id = LeaseId.next();
        CompletableFuture<OptionalLong> leased = new CompletableFuture<>();
        runLease(
                key,
                new LeaseCall(taken.takenAtMicros(), taken.charged(), id, leaseMicros),
                reply -> leased.complete(OptionalLong.of(id)));
        return leased;
    }

    /** Ends the hold of a lease, in Redis or in this process; whether there was one. */
    CompletableFuture<Boolean> releaseLease(String key, long id) {
        if (!scripts.holds()) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        runLease(key, LeaseCall.end(id), reply -> {
            if (reply != null && LeaseCall.found(reply)) {
                released.complete(true);
                return;
            }
            boolean here = policy.local().releaseLeaseAsync(key, id).join();
            if (here || reply != null) {
                released.complete(here);
            } else {
                released.completeExceptionally(
                        new IllegalStateException("Redis did not answer; the hold ends with its lease"));
            }
        });
        return released;
    }

    private void runLease(String key, LeaseCall call, Consumer<byte @Nullable []> then) {
        LimitScripts called = scripts;
        String[] holding = LeaseCall.holdingNames(called, stateNames(called, key));
        if (holding.length == 0) { // the limits were changed: whatever was held ends with its lease
            then.accept(null);
            return;
        }
        connection.run(LeaseCall.SCRIPT, holding, new byte[][] {call.arguments()}, ResilientConnection.ONE, then);
    }

    /** Only what was taken on Redis, directly or in a batch, is settled there. */
    private CompletableFuture<?> settle(Operation operation, String key, LimiterDecision taken, long unused) {
        if (taken.source() != Source.REDIS && taken.source() != Source.BATCH) {
            return DONE;
        }
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        settle(operation, key, taken, unused, current(), System.nanoTime(), done);
        return done;
    }

    private void settle(
            Operation operation,
            String key,
            LimiterDecision taken,
            long unused,
            LimitScripts scripts,
            long askedAtNanos,
            CompletableFuture<Boolean> done) {
        byte[] arguments = scripts.arguments(operation, taken, unused);
        connection.run(
                scripts.settle(), keyNames(scripts, key), withTime(arguments), ResilientConnection.ONE, bytes -> {
                    boolean isReply = bytes != null && ScriptReply.isOfSettle(bytes);
                    ScriptReply reply = isReply ? new ScriptReply(bytes, scripts, 100) : null;
                    if (reply != null && reply.isUndecided()) {
                        LimitScripts next = afterUndecided(scripts, reply);
                        if (reply.isOutOfWindow() && !combiner.isLate(askedAtNanos)) {
                            settle(operation, key, taken, unused, next, askedAtNanos, done);
                            return;
                        }
                    }
                    done.complete(reply != null);
                });
    }

    // ---- Resetting and changing

    /** Deletes the state of a key, in Redis and in this process. */
    CompletableFuture<?> reset(String key) {
        renewals.removeAll(key);
        policy.local().reset(key);
        return connection.delete(keyNames(scripts, key));
    }

    synchronized void change(List<Limit> limits) {
        scripts = scripts.changedTo(limits, RedisStore.wallMicros());
        Duration longest = limits.stream()
                .map(Limit::period)
                .filter(Objects::nonNull)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        continuesUntilNanos = System.nanoTime() + longest.toNanos();
        policy.local().change(limits.toArray(Limit[]::new));
    }

    /**
     * The scripts to call now. Counts of the limits before the last change are looked at for one period: later none of them
     * would count any more.
     */
    LimitScripts current() {
        LimitScripts current = scripts;
        return current.continuesOthers() && System.nanoTime() - continuesUntilNanos >= 0 ? forgetContinued() : current;
    }

    private synchronized LimitScripts forgetContinued() {
        if (System.nanoTime() - continuesUntilNanos >= 0) {
            scripts = scripts.withoutContinued();
        }
        return scripts;
    }

    // ---- Names and arguments

    /** The keys of the limits' states, in their order. */
    String[] stateNames(LimitScripts scripts, String key) {
        return names.of(key, scripts.identities());
    }

    /** The keys that the scripts use. */
    String[] keyNames(LimitScripts scripts, String key) {
        return names.of(key, scripts.names());
    }

    /** The arguments, with the time in tests, where it is not the server's. */
    byte[][] withTime(byte[] arguments) {
        return testMicros == null
                ? new byte[][] {arguments}
                : new byte[][] {arguments, packedTime(testMicros.getAsLong())};
    }

    static byte[] packedTime(long micros) {
        byte[] time = new byte[Double.BYTES];
        LimitScripts.packed(time).putDouble((double) micros);
        return time;
    }
}
