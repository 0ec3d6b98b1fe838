package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.redis.DenialCache.Standing;
import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.combine.Combiner;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.LimitScripts.Operation;
import dev.sluice.redis.script.ScriptReply;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One decision: the future, and the receiver of the script's reply. What arrives when the owner of the future has completed
 * it is refunded.
 */
final class DecisionCall extends CompletableFuture<Decision> implements Combiner.Request {
    /** How often a call is repeated that Redis left undecided; a clock that jumps on and on is not followed. */
    static final int MAX_REPEATS = 4;

    private static final int WHOLE = 100;

    private final ScriptCalls calls;
    private final Operation operation;
    private final String key;
    private final long permits;
    private final int percent;
    private final long maxDelay;
    private final long askedAtNanos;
    private final IntSupplier callers;
    private final long testTime;
    private LimitScripts called;
    /** The names of the keys for {@link #called}, once they are asked for: of requests that share a script few are. */
    private String @Nullable [] keyNames;

    private int repeats;

    DecisionCall(ScriptCalls calls, Operation operation, String key, long permits, int percent, long maxDelay) {
        this(calls, operation, key, permits, percent, maxDelay, System.nanoTime(), ResilientConnection.ONE);
    }

    /** Takes permits for several callers, the first of whom has waited since {@code askedAtNanos}. */
    DecisionCall(ScriptCalls calls, String key, long permits, long askedAtNanos, IntSupplier callers) {
        this(calls, Operation.TAKE, key, permits, WHOLE, LimitScripts.ANY_DELAY, askedAtNanos, callers);
    }

    private DecisionCall(
            ScriptCalls calls,
            Operation operation,
            String key,
            long permits,
            int percent,
            long maxDelay,
            long askedAtNanos,
            IntSupplier callers) {
        this.calls = calls;
        this.operation = operation;
        this.key = key;
        this.permits = permits;
        this.percent = percent;
        this.maxDelay = maxDelay;
        this.askedAtNanos = askedAtNanos;
        this.callers = callers;
        this.testTime = calls.testMicros == null ? 0 : calls.testMicros.getAsLong();
        this.called = calls.scripts();
    }

    CompletableFuture<Decision> ask(LimitScripts scripts) {
        if (calls.connection.isOpen()) {
            decided(null);
            return this;
        }
        called = scripts;
        keyNames = null;
        calls.combiner.ask(this);
        return this;
    }

    @Override
    public void decided(@Nullable ScriptReply reply) {
        if (reply != null && reply.isUndecided()) {
            LimitScripts next = calls.afterUndecided(called, reply);
            if (repeats++ < MAX_REPEATS) {
                if (reply.isClockBehind()) {
                    calls.combiner.askAlone(this);
                } else {
                    ask(next);
                }
                return;
            }
            reply = null;
        }
        Decision decision = reply == null
                ? calls.byPolicy(operation, key, permits, percent, maxDelay)
                : remembered(reply.decision(permits, maxDelay));
        if (!complete(decision) && operation == Operation.TAKE && decision.allowed()) {
            calls.refundUnclaimed(key, LimiterDecision.of(decision));
        }
    }

    /** The failure policy has decided. A hold that was taken after all would stay until its lease ends. */
    @Override
    public void decidedLate(ScriptReply reply) {
        if (operation == Operation.TAKE && called.holds() && !reply.isUndecided()) {
            calls.releaseLate(key, reply.decision(permits, maxDelay));
        }
    }

    private Decision remembered(LimiterDecision decision) {
        if (!decision.allowed() && calls.remembersDenials()) {
            Standing denied = Standing.of(calls, key, percent, decision);
            calls.denials.add(denied, called.limits(), List.of(), askedAtNanos);
        }
        if (operation == Operation.PEEK) {
            return decision.untaken();
        }
        calls.renewIfHeld(called, key, decision);
        return decision;
    }

    @Override
    public LimitScripts scripts() {
        return called;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String[] keyNames() {
        String[] known = keyNames;
        if (known == null) {
            known = calls.keyNames(called, key);
            keyNames = known;
        }
        return known;
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
    public int callers() {
        return callers.getAsInt();
    }

    @Override
    public long testMicros() {
        return testTime;
    }
}
