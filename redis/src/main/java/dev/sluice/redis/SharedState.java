package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Outcome;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The one operation behind every face of a limiter on Redis: answer here what is known here, else ask, else follow the
 * policy.
 *
 * <pre>
 *   request -> still denied? -> leased before? -> Redis -> decision
 *                                                   '-- no answer -> policy: allow, deny or decide in this process
 * </pre>
 */
final class SharedState {
    /** Any delay of a queue is acceptable. */
    static final long ANY_DELAY = -1;

    private static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(null);

    private static final int PEEK = 0;
    static final int TAKE = 1;

    private static final int GIVE_BACK = 0;
    private static final int RELEASE = 1;
    private static final int RENEW = 2;

    private static final int MOST_SPANS = 4;
    private static final long RETRY_WHEN_DENIED_BY_POLICY = TimeUnit.MILLISECONDS.toMicros(100);

    private final String name;
    private final Link link;
    private final KeyNames names;
    private final OnFailure onFailure;
    private final Tally tally;
    private final ScheduledExecutorService executor;
    private final @Nullable LongSupplier testMicros;
    private final Limiter local;
    private final Denials denials;
    private final Lines lines = new Lines(this);
    private final Renewals renewals;
    private final @Nullable Leases leases;
    private volatile Plan plan;

    SharedState(String name, RedisStore.Setup setup, Plan plan, OnFailure onFailure, double leaseShare) {
        this.name = name;
        this.link = setup.link();
        this.names = new KeyNames(setup.prefix(), name);
        this.onFailure = onFailure;
        this.tally = setup.tally();
        this.denials = setup.denials();
        this.executor = setup.executor();
        this.testMicros = setup.testMicros();
        this.plan = plan;
        this.local = Limiter.local(plan.limits().toArray(Limit[]::new));
        this.renewals = new Renewals(this, executor, plan.leaseMicros());
        this.leases = leaseShare > 0 ? new Leases(this, leaseShare) : null;
    }

    String name() {
        return name;
    }

    List<Limit> limits() {
        return plan.limits();
    }

    Plan plan() {
        return plan;
    }

    /** Goes by other numbers for windows that turn with a calendar. */
    void turnTo(long serverMicros) {
        plan = plan.at(serverMicros);
    }

    boolean isLeased() {
        return leases != null;
    }

    boolean holds() {
        return plan.holds();
    }

    long capacity() {
        return plan.capacity();
    }

    // ---- Taking

    /** Takes the permits if they are admitted with a delay of at most {@code maxDelay} microseconds. */
    CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay) {
        if (permits == 0) {
            return peek(key, 0, percent);
        }
        Decision denied = denials.find(this, key, permits, percent, System.nanoTime());
        if (denied != null) {
            tally.answeredHere.increment();
            return CompletableFuture.completedFuture(denied);
        }
        if (leases != null && percent == 100 && !plan.holds() && !plan.delays()) {
            return leases.take(key, permits);
        }
        return takeFromRedis(key, permits, percent, maxDelay);
    }

    /** The same, without a look at what is known here. */
    CompletableFuture<Decision> takeFromRedis(String key, long permits, int percent, long maxDelay) {
        CompletableFuture<Decision> answer = new CompletableFuture<>();
        ask(TAKE, key, permits, percent, maxDelay, MOST_SPANS, answer);
        return answer;
    }

    /** What {@link #take} would say, with nothing taken. */
    CompletableFuture<Decision> peek(String key, long permits, int percent) {
        CompletableFuture<Decision> answer = new CompletableFuture<>();
        ask(PEEK, key, permits, percent, ANY_DELAY, MOST_SPANS, answer);
        return answer;
    }

    /** Takes the permits as soon as they can be had, if that is within {@code waitMicros}. */
    CompletableFuture<Decision> await(String key, long permits, int percent, long waitMicros) {
        if (waitMicros == 0 || permits == 0) {
            return take(key, permits, percent, waitMicros);
        }
        return plan.delays()
                ? delayed(key, permits, percent, waitMicros)
                : lines.join(key, permits, percent, waitMicros);
    }

    private void ask(
            int verb,
            String key,
            long permits,
            int percent,
            long maxDelay,
            int spans,
            CompletableFuture<Decision> answer) {
        if (link.isOpen()) {
            answer.complete(byPolicy(verb, key, permits, percent, maxDelay));
            return;
        }
        Plan plan = this.plan;
        long askedAt = System.nanoTime();
        link.run(
                plan.decide(),
                names(plan, key),
                args(plan.args(verb, permits, maxDelay, percent)),
                (bytes, failure) -> {
                    if (bytes == null) {
                        answer.complete(byPolicy(verb, key, permits, percent, maxDelay));
                        return;
                    }
                    Reply reply = new Reply(bytes);
                    if (reply.isOutOfSpan()) {
                        goOn(verb, key, permits, percent, maxDelay, spans, plan.at(reply.nowMicros()), answer);
                        return;
                    }
                    Decision decision = reply.decision(plan, permits, percent, maxDelay);
                    if (!decision.allowed() && testMicros == null && !plan.holds() && !plan.delays()) {
                        denials.add(this, key, percent, decision, askedAt);
                    }
                    if (verb == TAKE) {
                        taken(key, decision);
                    }
                    answer.complete(decision);
                });
    }

    /** Asks again when a window of the calendar has turned; a clock that turns it again and again is not followed. */
    private void goOn(
            int verb,
            String key,
            long permits,
            int percent,
            long maxDelay,
            int spans,
            Plan now,
            CompletableFuture<Decision> answer) {
        this.plan = now;
        if (spans > 0) {
            ask(verb, key, permits, percent, maxDelay, spans - 1, answer);
        } else {
            answer.complete(byPolicy(verb, key, permits, percent, maxDelay));
        }
    }

    /** Waits out the delay of a queue. */
    private CompletableFuture<Decision> delayed(String key, long permits, int percent, long waitMicros) {
        CompletableFuture<Decision> turn = new CompletableFuture<>();
        take(key, permits, percent, waitMicros).thenAccept(decision -> {
            Decision done = decision.undelayed();
            after(decision.delayMicros(), () -> {
                if (!turn.complete(done) && decision.allowed()) {
                    giveBack(key, decision);
                }
            });
        });
        return turn;
    }

    /** What was taken is held from now on, if it is to be held. */
    void taken(String key, Decision decision) {
        if (decision.allowed() && plan.holds()) {
            renewals.add(key, decision);
        }
    }

    // ---- When Redis does not answer

    /** What the policy says to a request. */
    Decision byPolicy(String key, long permits, int percent) {
        return byPolicy(TAKE, key, permits, percent, ANY_DELAY);
    }

    /** What the policy would say to a request. */
    Decision standsByPolicy(String key, long permits, int percent) {
        return byPolicy(PEEK, key, permits, percent, ANY_DELAY);
    }

    private Decision byPolicy(int verb, String key, long permits, int percent, long maxDelay) {
        long limit = plan.capacity();
        switch (onFailure) {
            case ALLOW -> {
                tally.allowedByPolicy.increment();
                return Receipts.ofNobody(Decision.allowed(permits, limit, limit, 0, 0, 0));
            }
            case DENY -> {
                tally.deniedByPolicy.increment();
                return Receipts.ofNobody(Decision.denied(
                        Outcome.DENIED, permits, limit, 0, RETRY_WHEN_DENIED_BY_POLICY, RETRY_WHEN_DENIED_BY_POLICY));
            }
            default -> {
                tally.decidedLocally.increment();
                return Receipts.ofLocal(locally(verb, key, permits, percent, maxDelay));
            }
        }
    }

    private Decision locally(int verb, String key, long permits, int percent, long maxDelay) {
        Limiter limiter = percent == 100 ? local : local.withShare(percent);
        if (verb == PEEK) {
            return limiter.peek(key, permits);
        }
        return maxDelay == ANY_DELAY || !plan.delays()
                ? limiter.decide(key, permits)
                : limiter.acquireAsync(key, permits, Duration.ZERO).join();
    }

    // ---- Giving back and changing

    /** Gives back what was taken; done when Redis has heard of it, or cannot be told. */
    CompletableFuture<?> giveBack(String key, Decision taken) {
        denials.forget(this, key);
        if (Receipts.isLocal(taken)) {
            local.refund(key, Receipts.local(taken));
            return DONE;
        }
        return settled(GIVE_BACK, key, taken);
    }

    /** Ends the use of what was taken; done when Redis has heard of it, or cannot be told. */
    CompletableFuture<?> release(String key, Decision taken) {
        renewals.remove(key, taken);
        if (Receipts.isLocal(taken)) {
            local.release(key, Receipts.local(taken));
            return DONE;
        }
        return settled(RELEASE, key, taken);
    }

    /** Says that what was taken is still in use. */
    void renew(String key, Decision taken) {
        settle(RENEW, key, taken, new CompletableFuture<>());
    }

    void reset(String key) {
        denials.forget(this, key);
        local.reset(key);
        if (leases != null) {
            leases.forget(key);
        }
        link.delete(names(plan, key)).join();
        denials.forget(this, key);
        lines.reconsider(key);
    }

    void change(List<Limit> limits) {
        plan = Plan.of(limits, plan.clock(), plan.leaseMicros(), RedisStore.wallMicros());
        local.change(limits.toArray(Limit[]::new));
        denials.forgetAll(this);
        lines.reconsiderAll();
    }

    private CompletableFuture<?> settled(int verb, String key, Decision taken) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        settle(verb, key, taken, done);
        return done.thenRun(() -> lines.reconsider(key));
    }

    private void settle(int verb, String key, Decision taken, CompletableFuture<Boolean> done) {
        if (!Receipts.isOfRedis(taken)) {
            done.complete(false);
            return;
        }
        Plan plan = this.plan;
        byte[][] args = args(plan.args(verb, taken.permits(), taken.takenAtMicros(), 100));
        link.run(plan.settle(), names(plan, key), args, (bytes, failure) -> {
            Reply reply = bytes == null ? null : new Reply(bytes);
            if (reply != null && reply.isOutOfSpan()) {
                this.plan = plan.at(reply.nowMicros());
                settle(verb, key, taken, done);
            } else {
                done.complete(reply != null);
            }
        });
    }

    String[] names(Plan plan, String key) {
        return names.of(key, plan.terms().size());
    }

    byte[][] args(byte[] numbers) {
        if (testMicros == null) {
            return new byte[][] {numbers};
        }
        byte[] now = ByteBuffer.allocate(Double.BYTES)
                .putDouble((double) testMicros.getAsLong())
                .array();
        return new byte[][] {numbers, now};
    }

    /** Runs {@code action} then, be the store closed or not: whoever waits is answered, by the policy if need be. */
    void after(long micros, Runnable action) {
        CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS).execute(action);
    }

    /** Runs {@code action} again and again until the store is closed. */
    void every(long micros, Runnable action) {
        executor.scheduleWithFixedDelay(action, micros, micros, TimeUnit.MICROSECONDS);
    }

    Tally tally() {
        return tally;
    }
}
