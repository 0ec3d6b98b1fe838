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
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Law 14 on random traces: with memory for a few keys only, and floods, quiet times and holds that overlap, no key is
 * admitted more than with all the memory there is; and once the flood and the holds are over, and a period has passed,
 * every key is treated as with all the memory there is.
 */
class MemoryLawTest {
    private static final int KEYS = 4;
    private static final int STEPS = 300;

    private record Hold(String key, Decision decision, Decision exact) {}

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
        private int floodKeys;

        Trial(List<Limit> limits, int seed) {
            Limit[] all = limits.toArray(Limit[]::new);
            this.seed = seed;
            this.random = new Random(seed);
            long bytes = MemoryBoundTest.bytesFor(KEYS, "known-1", all) + random.nextInt(400);
            this.core = MemoryBoundTest.core(time, bytes, all);
            this.bounded = MemoryBoundTest.limiter(core);
            this.exact = MemoryBoundTest.limiter(MemoryBoundTest.core(time, 1L << 40, all));
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                boolean flood = step / 60 % 2 == 0;
                switch (random.nextInt(10)) {
                    case 0, 1 -> time.advance(ofMillis(random.nextInt(flood ? 200 : 2000)));
                    case 2, 3 -> release();
                    case 4 -> refund();
                    default -> {
                        int key = random.nextInt(KEYS - 1);
                        take(flood && random.nextInt(3) > 0 ? "flood-" + floodKeys++ % 10 : "known-" + key);
                    }
                }
            }
            recover();
        }

        private void take(String key) {
            long permits = 1L + random.nextInt(3);
            Decision seen = bounded.peek(key, permits);
            Decision made = bounded.decide(key, permits);
            assertThat(told(seen)).as("seed %d, peek of %s", seed, key).isEqualTo(told(made));
            if (made.allowed()) {
                Decision wouldBe = exact.decide(key, permits);
                assertThat(wouldBe.allowed())
                        .as("seed %d, %s %s", seed, key, made)
                        .isTrue();
                holds.add(new Hold(key, made, wouldBe));
            }
        }

        private void release() {
            if (!holds.isEmpty()) {
                Hold hold = holds.remove(random.nextInt(holds.size()));
                bounded.release(hold.key, hold.decision);
                exact.release(hold.key, hold.exact);
            }
        }

        /** Of a request just made: what a later refund gives is for the laws of refunds. */
        private void refund() {
            String key = "known-" + random.nextInt(KEYS - 1);
            Decision made = bounded.decide(key);
            if (made.allowed()) {
                bounded.refund(key, made);
            }
        }

        private void recover() {
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
