package dev.sluice.local;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.ManualClock;
import dev.sluice.algorithm.State;
import dev.sluice.contract.Bound;
import dev.sluice.contract.Grant;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** One trace of waits on a limiter, and what has to hold after each step of it. */
final class WaitingTrial {
    private static final Duration PERIOD = ofSeconds(10);
    private static final List<String> KEYS = List.of("", "a", "b");
    private static final int[] SHARES = {100, 100, 50, 20};
    private static final Decision FOREIGN = LimiterDecision.allowed(1, 1, 0, 0);

    /** A limit of so many permits. */
    private interface LimitOf {
        Limit of(int permits);
    }

    /** What the limits are, and whether they change. */
    enum Scene {
        FIXED_WINDOW(permits -> Limit.fixedWindow(permits, PERIOD)),
        ALIGNED_WINDOW(permits -> Limit.fixedWindow(permits, PERIOD).aligned()),
        SLIDING_WINDOW(permits -> Limit.slidingWindow(permits, PERIOD, 5)),
        SLIDING_LOG(permits -> Limit.slidingLog(permits, PERIOD)),
        TOKEN_BUCKET(permits -> Limit.tokenBucket(permits, PERIOD)),
        LEAKY_BUCKET(permits -> Limit.leakyBucket(permits, PERIOD)),
        LEAKY_BUCKET_THAT_QUEUES(permits -> Limit.leakyBucket(permits, PERIOD).queue()),
        CONCURRENCY(Limit::concurrency),
        SEVERAL(
                permits -> Limit.tokenBucket(permits, PERIOD),
                permits -> Limit.slidingLog(permits + 2, PERIOD.multipliedBy(2))),
        SEVERAL_WITH_CONCURRENCY(Limit::concurrency, permits -> Limit.slidingLog(permits, PERIOD)),
        /** Any of the above, and another again and again. */
        CHANGING;

        @SuppressWarnings("ImmutableEnumChecker") // functions without state
        private final List<LimitOf> limits;

        Scene(LimitOf... limits) {
            this.limits = List.of(limits);
        }

        private Limit[] limits(SplittableRandom random) {
            if (this == CHANGING) {
                return values()[random.nextInt(values().length - 1)].limits(random);
            }
            int permits = 1 + random.nextInt(10);
            return limits.stream().map(limit -> limit.of(permits)).toArray(Limit[]::new);
        }
    }

    private enum Call {
        ACQUIRE(30),
        DECIDE(15),
        PASS(20),
        FINISH(8),
        RELEASE(8),
        REFUND(8),
        PEEK(4),
        RESET(2),
        STEP_BACK(2),
        SET_WALL_CLOCK(3),
        CHANGE(6),
        CLOSE(1);

        private final int weight;

        Call(int weight) {
            this.weight = weight;
        }
    }

    /** A step whose numbers are read as the state of the trace allows, so that any part of a trace is one. */
    record Step(Call call, long key, long share, long permits, long micros, long choice) {
        static Step random(SplittableRandom random) {
            int total = 0;
            for (Call call : Call.values()) {
                total += call.weight;
            }
            int at = random.nextInt(total);
            Call chosen = Call.ACQUIRE;
            for (Call call : Call.values()) {
                if (at >= 0) {
                    chosen = call;
                }
                at -= call.weight;
            }
            long micros = TimeUnit.MICROSECONDS.convert(PERIOD);
            long[] lengths = {1, micros / 10, micros / 10, micros, 3 * micros};
            return new Step(
                    chosen,
                    random.nextInt(KEYS.size()),
                    random.nextInt(SHARES.length),
                    1 + random.nextInt(random.nextInt(10) + 1),
                    random.nextLong(lengths[random.nextInt(lengths.length)] + 1),
                    random.nextInt(1 << 20));
        }
    }

    private record Wait(
            CompletableFuture<Decision> future, String key, int percent, long permits, long deadline, int number) {
        boolean pending() {
            return !future.isDone();
        }

        boolean allowed() {
            return future.isDone()
                    && !future.isCompletedExceptionally()
                    && future.join().allowed();
        }

        @Override
        public String toString() {
            return "wait " + number + " for " + permits + " of '" + key + "' at " + percent + " % until " + deadline;
        }
    }

    private final ManualClock time = new ManualClock();
    private final Scene scene;
    private final SplittableRandom random;
    private final LocalLimiter limiter;
    private final List<Wait> waits = new ArrayList<>();
    private final List<Grant> grants = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    private long wallAheadMicros;
    private boolean closed;
    private boolean wasReset;
    private boolean wallClockWasSet;

    WaitingTrial(Scene scene, long seed) {
        this.scene = scene;
        this.random = new SplittableRandom(seed);
        Limit[] limits = scene.limits(random);
        story.add(List.of(limits).toString());
        this.limiter = new LocalLimiterBuilder(limits)
                .ticker(time)
                .scheduler(time)
                .wallClock(() -> time.nanos() / 1000 + wallAheadMicros)
                .build();
    }

    List<String> story() {
        return story;
    }

    void perform(Step step) {
        String key = KEYS.get((int) step.key);
        int percent = SHARES[(int) step.share];
        Duration length = Duration.ofNanos(step.micros * 1000);
        story.add(now() + ": " + step.call + " '" + key + "' " + percent + " % " + step.permits + " for " + length);
        switch (step.call) {
            case ACQUIRE -> {
                if (acquire(key, percent, step.permits, length)) {
                    time.advance(ofMillis(1)); // the same
                }
            }
            case DECIDE -> {
                grant(key, limiter.withShare(percent).decide(key, step.permits));
                time.advance(ofMillis(1)); // by then those of a lower share, who were overtaken, have been looked at
            }
            case PEEK ->
                assertThat(limiter.withShare(percent).peek(key, step.permits))
                        .isEqualTo(limiter.withShare(percent).peek(key, step.permits));
            case PASS -> time.advance(length);
            case FINISH -> pick(waits.stream().filter(Wait::pending).toList(), step, wait -> finish(wait, step.choice));
            case RELEASE ->
                pick(open(), step, grant -> {
                    grant.released = limiter.holds();
                    limiter.release(grant.key, grant.decision);
                    return true;
                });
            case REFUND ->
                pick(open(), step, grant -> {
                    grant.refunded = grant.permits;
                    limiter.refund(grant.key, grant.decision);
                    return true;
                });
            case RESET -> {
                if (!limiter.holds()) {
                    wasReset = true;
                    limiter.reset(key);
                }
            }
            case STEP_BACK -> time.stepBack(length.dividedBy(4));
            case SET_WALL_CLOCK -> {
                wallClockWasSet = true;
                wallAheadMicros += (step.choice % 2 == 0 ? 1 : -1) * step.micros;
                time.advance(ofSeconds(1));
            }
            case CHANGE -> {
                if (scene == Scene.CHANGING) {
                    Limit[] limits = scene.limits(random.split());
                    story.add("    to " + List.of(limits));
                    limiter.change(limits);
                }
            }
            case CLOSE -> {
                if (step.choice % 10 == 0) {
                    close();
                }
            }
        }
        time.advance(Duration.ZERO);
        check();
    }

    /** Lets all time pass: nothing is left behind. */
    void end() {
        time.advance(PERIOD.multipliedBy(8));
        check();
        assertThat(waits).as("waits past their deadline").noneMatch(Wait::pending);
        assertThat(time.pending()).as("alarms left").isZero();
        assertThat(limiter.core.waiting.isEmpty()).as("no queue is left").isTrue();
    }

    /** Whether it was allowed without waiting. */
    private boolean acquire(String key, int percent, long permits, Duration maxWait) {
        int number = waits.size();
        long deadline = now() + TimeUnit.MICROSECONDS.convert(maxWait);
        CompletableFuture<Decision> future = limiter.withShare(percent).acquireAsync(key, permits, maxWait);
        Wait wait = new Wait(future, key, percent, permits, deadline, number);
        waits.add(wait);
        future.whenComplete((decision, failure) -> {
            if (failure == null && decision != FOREIGN) {
                story.add("    " + now() + ": " + number + (decision.allowed() ? " allowed" : " denied"));
                grant(key, decision);
            }
        });
        if (closed) {
            assertThat(wait.pending()).as("%s, in a closed store", wait).isFalse();
        }
        return wait.allowed();
    }

    private void grant(String key, Decision decision) {
        if (decision.allowed() && decision.permits() > 0) {
            grants.add(new Grant(key, LimiterDecision.of(decision).takenAtMicros(), decision));
        }
    }

    private List<Grant> open() {
        return grants.stream().filter(Grant::open).toList();
    }

    private <T> void pick(List<T> from, Step step, Function<T, Boolean> action) {
        if (!from.isEmpty()) {
            assertThat(action.apply(from.get((int) (step.choice % from.size()))))
                    .isTrue();
        }
    }

    private boolean finish(Wait wait, long how) {
        story.add("    the owner of " + wait + " completes it");
        return how % 3 == 0
                ? wait.future.cancel(false)
                : how % 3 == 1
                        ? wait.future.complete(FOREIGN)
                        : wait.future.completeExceptionally(new IllegalStateException("enough"));
    }

    private void close() {
        closed = true;
        limiter.close();
        assertThat(waits).as("waits in a closed store").noneMatch(Wait::pending);
    }

    private long now() {
        return time.nanos() / 1000;
    }

    // ---- What has to hold

    private void check() {
        for (Wait wait : waits) {
            assertThat(wait.pending() && wait.deadline <= now())
                    .as("%s is still pending", wait)
                    .isFalse();
        }
        KEYS.forEach(this::checkQueue);
        if (scene == Scene.CONCURRENCY) {
            for (String key : KEYS) {
                long held = open().stream()
                        .filter(grant -> grant.key.equals(key))
                        .mapToLong(grant -> grant.permits)
                        .sum();
                assertThat(limiter.core.entry(key).snapshot().used(0))
                        .as("permits held of '%s'", key)
                        .isEqualTo(held);
            }
        }
        if (scene != Scene.CHANGING && !wasReset && !wallClockWasSet && !limiter.core.delays()) {
            for (String key : KEYS) {
                List<Grant> ofKey =
                        grants.stream().filter(grant -> grant.key.equals(key)).toList();
                limiter.limits().forEach(limit -> Bound.check(limit, ofKey));
            }
        }
    }

    private void checkQueue(String key) {
        List<Wait> pending = new ArrayList<>(waits.stream()
                .filter(wait -> wait.pending() && wait.key.equals(key))
                .toList());
        if (limiter.core.delays() && scene != Scene.CHANGING) {
            return; // they wait out a delay, and not in a queue
        }
        for (Wait first : pending) {
            for (Wait other : waits) {
                boolean overtook = other.number > first.number && other.percent <= first.percent;
                assertThat(overtook && other.key.equals(key) && other.allowed() && other.future.join() != FOREIGN)
                        .as("%s went before %s", other, first)
                        .isFalse();
            }
        }
        pending.removeIf(wait -> !isQueued(wait));
        Entry entry = limiter.core.entry(key);
        State state = entry.snapshot();
        long now = limiter.core.time(entry, limiter.core.clock());
        boolean started = false;
        while (!pending.isEmpty()) {
            Wait next = null;
            long turn = State.NEVER;
            for (Wait wait : pending) {
                boolean barred =
                        pending.stream().anyMatch(other -> other.number < wait.number && other.percent >= wait.percent);
                if (!barred) {
                    long its = Math.max(state.soonestAt(wait.percent, now, wait.permits), state.departsAt(now));
                    assertThat(its).as("the turn of %s", wait).isLessThanOrEqualTo(wait.deadline);
                    boolean servable = state.admits(wait.percent, now, wait.permits) && state.departsAt(now) <= now;
                    assertThat(!started && servable)
                            .as("%s could be served at once", wait)
                            .isFalse();
                    if (its < turn) {
                        turn = its;
                        next = wait;
                    }
                }
            }
            state.take(turn, Objects.requireNonNull(next).permits);
            now = turn;
            pending.remove(next);
            started = true;
        }
    }

    /** Whether it waits in a queue, and does not wait out the delay of a leaky bucket. */
    private static boolean isQueued(Wait wait) {
        return wait.future instanceof Waiter;
    }
}
