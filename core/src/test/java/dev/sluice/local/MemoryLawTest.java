package dev.sluice.local;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Law 14 on random traces: with memory for a few keys only, and floods, quiet times, waits, refunds and holds that
 * overlap, no key is admitted more than with all the memory there is. When the flood is over and a period has passed,
 * every key has its limit, except what is still held of a counter that keys had shared, though calls go on that wait and
 * hold. When the holds are over too, every key is treated as with all the memory there is.
 */
class MemoryLawTest {
    private static final int KEYS = 4;
    private static final int STEPS = 300;

    /** Permits that are out, and whether they were taken at the bound. */
    private record Hold(String key, Decision decision, Decision exact, boolean shared) {}

    static Stream<List<Limit>> limits() {
        return Stream.of(
                List.of(Limit.concurrency(3)),
                List.of(Limit.slidingLog(5, ofSeconds(10))),
                List.of(Limit.slidingLog(40, ofSeconds(10))),
                List.of(Limit.slidingWindow(5, ofSeconds(10), 10)),
                List.of(Limit.tokenBucket(5, ofSeconds(10))),
                List.of(Limit.leakyBucket(5, ofSeconds(10))),
                List.of(Limit.fixedWindow(5, ofSeconds(10)).aligned()),
                List.of(Limit.concurrency(3), Limit.slidingLog(8, ofSeconds(10))),
                List.of(Limit.tokenBucket(9, ofSeconds(10)), Limit.slidingWindow(8, ofSeconds(5), 5)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void noKeyIsAdmittedTooMuchAndAllRecover(List<Limit> limits) {
        for (int seed = 0; seed < 10 * Integer.getInteger("sluice.traces", 1000) / 50; seed++) {
            new Trial(limits, seed).run();
        }
    }

    private static final class Trial {
        private final ManualClock time = new ManualClock();
        private final Random random;
        private final int seed;
        private final LimiterCore core;
        private final Limiter bounded;
        private final Limiter exact;
        private final List<Hold> holds = new ArrayList<>();
        private final List<CompletableFuture<Decision>> waiting = new ArrayList<>();
        private final MemoryBound bound;
        private final List<Limit> limits;
        private int floodKeys;
        private @Nullable AssertionError failure;

        Trial(List<Limit> limits, int seed) {
            Limit[] all = limits.toArray(Limit[]::new);
            this.seed = seed;
            this.random = new Random(seed);
            long words = limits.stream().mapToLong(Trial::words).sum();
            long bytes =
                    MemoryBoundTest.bytesFor(KEYS, "known-1", all) + KEYS * words * Long.BYTES + random.nextInt(400);
            this.limits = limits;
            this.bound = new MemoryBound(bytes);
            this.core = MemoryBoundTest.core(time, bound, all);
            this.bounded = MemoryBoundTest.limiter(core);
            this.exact = MemoryBoundTest.limiter(MemoryBoundTest.core(time, 1L << 40, all));
        }

        /** By how much the state of one key may grow. */
        private static long words(Limit limit) {
            if (limit instanceof Limit.SlidingWindow window) {
                return 2L * (window.slices() + 1);
            }
            return limit instanceof Limit.SlidingLog log && log.permits() > 8 ? log.permits() : 0;
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                step(step / 60 % 2 == 0);
            }
            endFlood();
            recover();
        }

        private void step(boolean flood) {
            String known = "known-" + random.nextInt(KEYS - 1);
            switch (random.nextInt(12)) {
                case 0, 1 -> time.advance(ofMillis(random.nextInt(flood ? 200 : 2000)));
                case 2, 3 -> release();
                case 4 -> refund(known);
                case 5 -> refundLater();
                case 6, 7 -> await(flood && random.nextBoolean() ? "flood-" + floodKeys++ % 20 : known);
                default -> take(flood && random.nextInt(3) > 0 ? "flood-" + floodKeys++ % 20 : known);
            }
            if (failure != null) {
                throw failure;
            }
            assertThat(bound.usage().bytes())
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(bound.usage().maxBytes());
        }

        private void take(String key) {
            long permits = 1L + random.nextInt(3);
            boolean awaited = waiting.stream().anyMatch(call -> !call.isDone());
            Decision seen = bounded.peek(key, permits);
            long atBound = bound.usage().atBound();
            Decision made = bounded.decide(key, permits);
            if (!awaited) { // waiters of this key may come from the shared counter before it
                assertThat(told(seen)).as("seed %d, peek of %s", seed, key).isEqualTo(told(made));
            }
            taken(key, made, bound.usage().atBound() > atBound);
        }

        private void taken(String key, Decision made, boolean shared) {
            if (made.allowed()) {
                Decision wouldBe = exact.decide(key, made.permits());
                assertThat(wouldBe.allowed())
                        .as("seed %d, %s %s", seed, key, made)
                        .isTrue();
                holds.add(new Hold(key, made, wouldBe, shared));
            }
        }

        /** At most one for each key waits, so that there is memory for all of them after the flood. */
        private void await(String key) {
            waiting.removeIf(CompletableFuture::isDone);
            if (waiting.size() >= KEYS - 2) {
                return;
            }
            CompletableFuture<Decision> call =
                    bounded.acquireAsync(key, 1 + random.nextInt(2), ofMillis(random.nextInt(8000)));
            waiting.add(call);
            call.thenAccept(decision -> {
                try {
                    taken(key, decision, true);
                } catch (AssertionError broken) {
                    failure = broken;
                }
            });
            if (random.nextInt(8) == 0) {
                call.cancel(false);
            }
        }

        /** What is refunded here and there at the same time leaves no more here than there. */
        private void refundLater() {
            boolean holding = limits.stream().anyMatch(Limit::holds);
            if (!holding && !holds.isEmpty()) {
                Hold hold = holds.remove(random.nextInt(holds.size()));
                exact.refund(hold.key, hold.exact);
                bounded.refund(hold.key, hold.decision);
            }
        }

        private void release() {
            if (!holds.isEmpty()) {
                release(holds.get(random.nextInt(holds.size())));
            }
        }

        private void release(Hold hold) {
            holds.remove(hold);
            exact.release(hold.key, hold.exact); // first: those who wait are served by the other
            bounded.release(hold.key, hold.decision);
        }

        /** Of a request just made: what a later refund gives is for the laws of refunds. */
        private void refund(String key) {
            Decision made = bounded.decide(key);
            if (made.allowed()) {
                bounded.refund(key, made);
            }
        }

        /** Calls go on, wait and hold, on the known keys alone. */
        private void endFlood() {
            while (holds.stream().anyMatch(hold -> hold.key.startsWith("flood"))) {
                holds.stream()
                        .filter(hold -> hold.key.startsWith("flood"))
                        .findFirst()
                        .ifPresent(this::release);
            }
            for (int i = 0; i < 300; i++) {
                time.advance(ofMillis(100));
                await("known-" + random.nextInt(KEYS - 1));
                release();
                take("known-" + random.nextInt(KEYS - 1));
            }
            long held = holds.stream()
                    .filter(Hold::shared)
                    .mapToLong(hold -> hold.decision.permits())
                    .sum();
            long atBound = bound.usage().atBound();
            for (Limit limit : limits) {
                long free = limit.capacity() - (limit.holds() ? held : 0);
                assertThat(bounded.peek("new", Math.max(0, Math.min(free, 1))).allowed())
                        .as("seed %d, %s held of shared counters, %s", seed, held, bound.usage())
                        .isTrue();
            }
            assertThat(bound.usage().atBound()).as("seed %d", seed).isEqualTo(atBound);
        }

        private void recover() {
            waiting.forEach(call -> call.cancel(false));
            while (!holds.isEmpty()) {
                release();
            }
            for (int i = 0; i < 200; i++) {
                time.advance(ofMillis(100));
                bounded.peek("nobody");
            }
            assertThat(core.keyCount()).as("seed %d", seed).isZero();
            for (int i = 0; i < KEYS - 1; i++) {
                for (int call = 0; call < 8; call++) {
                    Decision made = bounded.decide("known-" + i);
                    Decision wouldBe = exact.decide("known-" + i);
                    assertThat(made.outcome()).as("seed %d", seed).isEqualTo(wouldBe.outcome());
                    assertThat(made.retryAfter()).as("seed %d", seed).isEqualTo(wouldBe.retryAfter());
                }
            }
        }

        private static List<Object> told(Decision decision) {
            return List.of(
                    decision.outcome(), decision.remaining(), decision.retryAfterMicros(), decision.resetAfterMicros());
        }
    }
}
