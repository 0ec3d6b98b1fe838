package dev.sluice.local;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Store;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lincheck runs the calls in every interleaving it can think of, and looks for an order that explains the answers. */
@Tag("full")
class LinearizableTest {
    private static void check(Class<?> calls) {
        new ModelCheckingOptions()
                .iterations(Integer.getInteger("sluice.lincheck.iterations", 2))
                .invocationsPerIteration(Integer.getInteger("sluice.lincheck.invocations", 100))
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .loopIterationsBeforeThreadSwitch(40) // more than there are slots: looking through them is not waiting
                .loopBound(400)
                .check(calls);
    }

    @Test
    void tokenBucket() {
        check(TokenBucketCalls.class);
    }

    @Test
    void slidingLog() {
        check(SlidingLogCalls.class);
    }

    @Test
    void slidingWindow() {
        check(SlidingWindowCalls.class);
    }

    @Test
    void severalLimits() {
        check(SeveralCalls.class);
    }

    @Test
    void keysThatComeAndGo() {
        check(KeyCalls.class);
    }

    @Test
    void severalLimiters() {
        check(SeveralLimitersCalls.class);
    }

    @Test
    void severalLimitersOneOfWhichIsOnlyLookedAt() {
        check(LookingCalls.class);
    }

    @Param(name = "permits", gen = IntGen.class, conf = "1:3")
    @Param(name = "peeked", gen = IntGen.class, conf = "0:3")
    public abstract static class Calls {
        final AtomicLong nanos = new AtomicLong();
        final Limiter limiter;
        final Decision taken;

        Calls(Limit... limits) {
            this.limiter = Limiter.builder(limits)
                    .ticker(nanos::get)
                    .maxBytes(1 << 20) // the bound that limiters share leads Lincheck to the objects of other tests
                    .build();
            this.taken = limiter.decide(1);
        }

        @Operation
        public boolean tryAcquire(@Param(name = "permits") int permits) {
            return limiter.tryAcquire(permits);
        }

        @Operation
        public String decide(@Param(name = "permits") int permits) {
            return limiter.decide(permits).toString();
        }

        /** Gives back what was taken before the others came. */
        @Operation(runOnce = true)
        public void refund() {
            limiter.refund(taken);
        }

        @Operation
        public String peek(@Param(name = "peeked") int permits) {
            return limiter.peek("", permits).toString();
        }

        @Operation
        public void reset() {
            limiter.reset();
        }
    }

    public static class TokenBucketCalls extends Calls {
        public TokenBucketCalls() {
            super(Limit.tokenBucket(4, ofSeconds(1)));
        }
    }

    public static class SlidingLogCalls extends Calls {
        public SlidingLogCalls() {
            super(Limit.slidingLog(4, ofSeconds(1)));
        }
    }

    public static class SlidingWindowCalls extends Calls {
        public SlidingWindowCalls() {
            super(Limit.slidingWindow(4, ofSeconds(1), 2));
        }

        @Operation
        public void change() {
            limiter.change(Limit.slidingWindow(5, ofSeconds(1), 4));
        }
    }

    public static class SeveralCalls extends Calls {
        public SeveralCalls() {
            super(Limit.fixedWindow(4, ofSeconds(1)), Limit.leakyBucket(5, ofSeconds(1)));
        }
    }

    @Param(name = "key", gen = IntGen.class, conf = "1:3")
    public static class KeyCalls {
        private final AtomicLong nanos = new AtomicLong();
        private final Limiter limiter = Limiter.builder(Limit.fixedWindow(2, ofMillis(1)))
                .ticker(nanos::get)
                .maxBytes(MemoryBoundTest.bytesFor(2, "k1", Limit.fixedWindow(2, ofMillis(1))))
                .build();

        @Operation
        public boolean tryAcquire(@Param(name = "key") int key) {
            return limiter.tryAcquire("k" + key);
        }

        @Operation
        public void reset(@Param(name = "key") int key) {
            limiter.reset("k" + key);
        }

        @Operation
        public void pass() {
            nanos.addAndGet(2_000_000_000L);
        }
    }

    /** Two limiters, charged together in either order, each alone, and changed. */
    @Param(name = "permits", gen = IntGen.class, conf = "0:3")
    @Param(name = "which", gen = IntGen.class, conf = "0:1")
    public static class SeveralLimitersCalls {
        private final Store store = Store.local(() -> 0);
        private final Limiter[] limiters = {
            store.limiter("a", Limit.tokenBucket(4, ofSeconds(1))),
            store.limiter("b", Limit.slidingLog(5, ofSeconds(1)))
        };

        @Operation
        public String decideAll(@Param(name = "which") int first, @Param(name = "permits") int permits) {
            return store.decideAll(List.of(
                            new Charge(limiters[first], "", permits), new Charge(limiters[1 - first], "", permits)))
                    .join()
                    .toString();
        }

        @Operation
        public String decide(@Param(name = "which") int which, @Param(name = "permits") int permits) {
            return limiters[which].decide(permits).toString();
        }

        @Operation
        public String peek(@Param(name = "which") int which, @Param(name = "permits") int permits) {
            return limiters[which].peek("", permits).toString();
        }

        @Operation
        public void change() {
            limiters[0].change(Limit.tokenBucket(5, ofSeconds(1)));
        }
    }

    /** Each call charges one limiter if that leaves the other as it was: of two that would both spoil it, one sees it. */
    @Param(name = "which", gen = IntGen.class, conf = "0:1")
    public static class LookingCalls {
        private final Store store = Store.local(() -> 0);
        private final Limiter[] limiters = {
            store.limiter("a", Limit.fixedWindow(3, ofSeconds(1))),
            store.limiter("b", Limit.fixedWindow(3, ofSeconds(1)))
        };

        @Operation
        public String chargeOneAndLookAtTheOther(@Param(name = "which") int which) {
            return store.decideAll(List.of(new Charge(limiters[which], "", 1), new Charge(limiters[1 - which], "", 0)))
                    .join()
                    .toString();
        }
    }
}
