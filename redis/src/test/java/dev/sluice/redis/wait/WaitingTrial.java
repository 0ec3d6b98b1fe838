package dev.sluice.redis.wait;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.contract.Bound;
import dev.sluice.contract.Grant;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One trace of waits in the queues of Redis, on a limiter in this process that answers for it. */
final class WaitingTrial {
    private static final Duration PERIOD = ofSeconds(10);
    private static final List<String> KEYS = List.of("", "a", "b");
    private static final int[] SHARES = {100, 100, 50, 20};
    private static final Decision FOREIGN = LimiterDecision.allowed(1, 1, 0, 0);
    private static final long TIMEOUT_MICROS = 50_000;

    /** A limit of so many permits. */
    private interface LimitOf {
        Limit of(int permits);
    }

    /** When the store answers. */
    enum Replies {
        AT_ONCE,
        LATE,
        /** Late; one in four fails, and one in twenty never comes. */
        FAILING
    }

    /** What the limits are, and whether they change. */
    enum Scene {
        FIXED_WINDOW(permits -> Limit.fixedWindow(permits, PERIOD)),
        SLIDING_WINDOW(permits -> Limit.slidingWindow(permits, PERIOD, 5)),
        SLIDING_LOG(permits -> Limit.slidingLog(permits, PERIOD)),
        TOKEN_BUCKET(permits -> Limit.tokenBucket(permits, PERIOD)),
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
        DECIDE(10),
        PASS(20),
        FINISH(8),
        RELEASE(8),
        REFUND(8),
        RESET(2),
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
                    && future.join().allowed()
                    && future.join() != FOREIGN;
        }

        @Override
        public String toString() {
            return "wait " + number + " for " + permits + " of '" + key + "' at " + percent + " % until " + deadline;
        }
    }

    /** What the queues ask, answered by a limiter in this process. */
    private final class Answers implements WaitQueues.Permits {
        @Override
        public List<Limit> limits() {
            return limiter.limits();
        }

        @Override
        public CompletableFuture<Decision> take(String key, long permits, int percent, long maxDelay) {
            Charge charge =
                    new Charge(limiter.withShare(percent), key, permits, Duration.of(maxDelay, ChronoUnit.MICROS));
            return reply(() -> store.decideAll(List.of(charge)).join().get(0));
        }

        @Override
        public CompletableFuture<Decision> peek(String key, long permits, int percent) {
            return reply(() -> limiter.withShare(percent).peek(key, permits));
        }

        @Override
        public Decision byPolicy(String key, long permits, int percent) {
            return LimiterDecision.denied(Outcome.DENIED, permits, 1, 0, 100_000, 100_000)
                    .withSource(Decision.Source.FAILURE_POLICY);
        }

        @Override
        public void refund(String key, LimiterDecision taken) {
            limiter.refund(key, taken);
            queues.wake(key);
        }

        private CompletableFuture<Decision> reply(Supplier<Decision> answer) {
            if (replies == Replies.AT_ONCE) {
                return CompletableFuture.completedFuture(answer.get());
            }
            CompletableFuture<Decision> future = new CompletableFuture<>();
            int fate = replies == Replies.FAILING ? random.nextInt(20) : 19;
            if (fate == 0) {
                return future; // for ever
            }
            if (fate <= 5) {
                if (fate == 1) {
                    throw new IllegalStateException("as this test wants it");
                }
                time.schedule(1 + random.nextInt(1000), () -> {
                    future.completeExceptionally(new IllegalStateException("as this test wants it"));
                });
                return future;
            }
            long on = random.nextInt(1000);
            time.schedule(on, () -> {
                Decision decision = answer.get();
                time.schedule(random.nextInt(1000), () -> future.complete(decision));
            });
            return future;
        }
    }

    private final ManualClock time = new ManualClock();
    private final Scene scene;
    private final Replies replies;
    private final SplittableRandom random;
    private final Store store = Store.builder().clock(time).build();
    private final Limiter limiter;
    private final WaitQueues queues;
    private final List<Wait> waits = new ArrayList<>();
    private final List<Grant> grants = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    private boolean closed;
    private boolean wasReset;

    WaitingTrial(Scene scene, Replies replies, long seed) {
        this.scene = scene;
        this.replies = replies;
        this.random = new SplittableRandom(seed);
        Limit[] limits = scene.limits(random);
        story.add(List.of(limits).toString());
        this.limiter = store.limiter("trial", limits);
        this.queues = new WaitQueues(new Answers(), time, time, 2 * TIMEOUT_MICROS);
    }

    String story() {
        return String.join("\n", story);
    }

    void perform(Step step) {
        String key = KEYS.get((int) step.key);
        int percent = SHARES[(int) step.share];
        Duration length = Duration.ofNanos(step.micros * 1000);
        story.add(now() + ": " + step.call + " '" + key + "' " + percent + " % " + step.permits + " for " + length);
        switch (step.call) {
            case ACQUIRE -> acquire(key, percent, step.permits, step.micros);
            case DECIDE -> grant(key, limiter.withShare(percent).decide(key, step.permits));
            case PASS -> time.advance(length);
            case FINISH -> pick(waits.stream().filter(Wait::pending).toList(), step, wait -> finish(wait, step.choice));
            case RELEASE ->
                pick(open(), step, grant -> {
                    grant.released = holds();
                    limiter.release(grant.key, grant.decision);
                    queues.wake(grant.key);
                });
            case REFUND ->
                pick(open(), step, grant -> {
                    grant.refunded = grant.permits;
                    limiter.refund(grant.key, grant.decision);
                    queues.wake(grant.key);
                });
            case RESET -> {
                if (!holds()) {
                    wasReset = true;
                    limiter.reset(key);
                    queues.wake(key);
                }
            }
            case CHANGE -> {
                if (scene == Scene.CHANGING) {
                    Limit[] limits = scene.limits(random.split());
                    story.add("    to " + List.of(limits));
                    limiter.change(limits);
                    queues.limitsChanged();
                }
            }
            case CLOSE -> {
                if (step.choice % 10 == 0) {
                    closed = true;
                    queues.close();
                }
            }
        }
        time.advance(replies == Replies.AT_ONCE ? Duration.ZERO : ofMillis(random.nextInt(5)));
        check();
    }

    /** Lets all time pass: nothing is left behind. */
    void end() {
        time.advance(PERIOD.multipliedBy(8));
        check();
        assertThat(waits.stream().filter(wait -> replies != Replies.FAILING || !isUnanswered(wait)))
                .as("waits past their deadline")
                .noneMatch(Wait::pending);
        assertThat(time.pending()).as("alarms left").isZero();
        assertThat(queues.isEmpty()).as("no queue is left").isTrue();
    }

    /** Whether the store never answered the first call of it: the connection would have. */
    private static boolean isUnanswered(Wait wait) {
        return !(wait.future instanceof Waiter waiter) || !waiter.isQueued();
    }

    private boolean holds() {
        return limiter.limits().stream().anyMatch(Limit::holds);
    }

    private boolean delays() {
        return limiter.limits().stream().anyMatch(Limit::delays);
    }

    private void acquire(String key, int percent, long permits, long waitMicros) {
        int number = waits.size();
        CompletableFuture<Decision> future = queues.await(key, permits, percent, waitMicros);
        waits.add(new Wait(future, key, percent, permits, now() + waitMicros, number));
        future.whenComplete((decision, failure) -> {
            if (failure == null && decision != FOREIGN) {
                story.add("    " + now() + ": " + number + (decision.allowed() ? " allowed" : " denied"));
                grant(key, decision);
            }
        });
    }

    private void grant(String key, Decision decision) {
        if (decision.allowed() && decision.permits() > 0) {
            grants.add(new Grant(key, LimiterDecision.of(decision).takenAtMicros(), decision));
        }
    }

    private List<Grant> open() {
        return grants.stream().filter(Grant::open).toList();
    }

    private static <T> void pick(List<T> from, Step step, Consumer<T> action) {
        if (!from.isEmpty()) {
            action.accept(from.get((int) (step.choice % from.size())));
        }
    }

    private void finish(Wait wait, long how) {
        story.add("    the owner of " + wait + " completes it");
        boolean done = how % 3 == 0
                ? wait.future.cancel(false)
                : how % 3 == 1
                        ? wait.future.complete(FOREIGN)
                        : wait.future.completeExceptionally(new IllegalStateException("enough"));
        assertThat(done).isTrue();
    }

    private long now() {
        return time.nanos() / 1000;
    }

    // ---- What has to hold

    private void check() {
        long grace = replies == Replies.AT_ONCE ? 0 : 2 * TIMEOUT_MICROS;
        for (Wait wait : waits) {
            boolean late = wait.pending() && now() - wait.deadline >= grace;
            assertThat(late && (replies != Replies.FAILING || !isUnanswered(wait)))
                    .as("%s is still pending", wait)
                    .isFalse();
            assertThat(closed && wait.pending() && replies == Replies.AT_ONCE)
                    .as("%s, in a closed store", wait)
                    .isFalse();
        }
        if (replies == Replies.AT_ONCE) {
            KEYS.forEach(this::checkQueue);
            checkGrants();
        }
    }

    private void checkQueue(String key) {
        List<Wait> pending = waits.stream()
                .filter(wait -> wait.pending() && wait.key.equals(key))
                .toList();
        if (delays()) {
            return; // they wait out a delay, and not in a queue
        }
        for (Wait first : pending) {
            if (!(first.future instanceof Waiter)) {
                continue; // it waits out a delay of limits that were in force before
            }
            for (Wait other : waits) {
                boolean overtook = other.number > first.number && other.percent <= first.percent;
                assertThat(overtook && other.key.equals(key) && other.allowed())
                        .as("%s went before %s", other, first)
                        .isFalse();
            }
            boolean barred =
                    pending.stream().anyMatch(other -> other.number < first.number && other.percent >= first.percent);
            assertThat(!barred
                            && limiter.withShare(first.percent)
                                    .peek(key, first.permits)
                                    .allowed())
                    .as("%s could be served at once", first)
                    .isFalse();
        }
    }

    private void checkGrants() {
        for (String key : KEYS) {
            List<Grant> ofKey =
                    grants.stream().filter(grant -> grant.key.equals(key)).toList();
            if (scene == Scene.CONCURRENCY) {
                long held = ofKey.stream()
                        .filter(Grant::open)
                        .mapToLong(grant -> grant.permits)
                        .sum();
                long used = limiter.limits().get(0).capacity()
                        - limiter.peek(key, 0).remaining();
                assertThat(used).as("permits held of '%s'", key).isEqualTo(held);
            }
            if (scene != Scene.CHANGING && !wasReset && !delays()) {
                limiter.limits().forEach(limit -> Bound.check(limit, ofKey));
            }
        }
    }
}
