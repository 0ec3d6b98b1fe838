package dev.sluice.local;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.ManualClock;
import dev.sluice.Store;
import dev.sluice.StoreUsage;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 14, the bound in bytes: what is counted, who shares it, what happens past it. */
class MemoryBoundTest {
    private final ManualClock time = new ManualClock();

    static LimiterCore core(ManualClock time, long maxBytes, Limit... limits) {
        return core(time, new MemoryBound(maxBytes), limits);
    }

    static LimiterCore core(ManualClock time, MemoryBound bound, Limit... limits) {
        return new LimiterCore(CompiledLimits.of(List.of(limits), 0), time, null, time, bound, null);
    }

    static Limiter limiter(LimiterCore core) {
        return new LocalLimiter(core, 100, false, null, null);
    }

    /** What a limiter takes with so many keys of the length of {@code sample}. */
    static long bytesFor(int keys, String sample, Limit... limits) {
        MemoryBound bound = new MemoryBound(Long.MAX_VALUE);
        LimiterCore core = core(new ManualClock(), bound, limits);
        for (int i = 0; i < keys; i++) {
            core.decide(key(i, sample.length()), 1, 100, 0);
        }
        return bound.usage().bytes();
    }

    private static String key(int number, int length) {
        String digits = Integer.toString(number);
        return "#".repeat(Math.max(1, length - digits.length())) + digits;
    }

    // ---- Looking

    @Test
    void lookingMakesNoEntry() {
        MemoryBound bound = new MemoryBound(1 << 20);
        LimiterCore core = core(time, bound, Limit.tokenBucket(10, ofSeconds(1)), Limit.concurrency(3));
        Limiter limiter = limiter(core);
        limiter.decide("known");
        StoreUsage before = bound.usage();
        Decision taken = limiter.decide("");
        limiter.peek("a");
        limiter.peek("b", 0);
        limiter.peek("c", 100);
        limiter.reset("d");
        limiter.refund("e", taken);
        limiter.release("f", taken);
        assertThat(bound.usage()).isEqualTo(before);
        assertThat(core.keyCount()).isEqualTo(1);
    }

    @Test
    void aLookAtTheBoundTellsWhatARequestWouldBeTold() {
        Limit limit = Limit.fixedWindow(3, ofSeconds(10));
        Limiter limiter = limiter(core(time, bytesFor(1, "k", limit), limit));
        limiter.decide("a");
        assertThat(limiter.peek("b").remaining()).isEqualTo(2);
        limiter.decide("c", 3);
        assertThat(limiter.peek("b").retryAfter()).isEqualTo(ofSeconds(10));
        assertThat(limiter.decide("b").retryAfter()).isEqualTo(ofSeconds(10));
    }

    // ---- Who shares a bound

    @Test
    void theLimitersOfAStoreShareItsBound() {
        Store store = Store.builder().ticker(time).maxBytes(100_000).build();
        Limiter one = store.limiter("one", Limit.slidingLog(1, ofMinutes(1)));
        Limiter other = store.limiter("other", Limit.slidingLog(1, ofMinutes(1)));
        for (int i = 0; i < 1000; i++) {
            one.tryAcquire("flood-" + i);
        }
        assertThat(store.usage().bytes()).isBetween(90_000L, 100_000L);
        assertThat(store.usage().maxBytes()).isEqualTo(100_000);
        assertThat(store.usage().keys()).isBetween(300L, 900L);
        assertThat(store.usage().atBound()).isEqualTo(1000 - store.usage().keys());
        assertThat(other.tryAcquire("a")).isTrue();
        assertThat(other.tryAcquire("b")).as("shares the counter of a").isFalse();
        store.forget("one");
        assertThat(store.usage().keys()).isZero();
        time.advance(ofMinutes(2));
        assertThat(other.tryAcquire("a") && other.tryAcquire("b")).isTrue();
        store.close();
    }

    /** A limiter that nobody calls any more sweeps nothing by itself. */
    @Test
    void whoNeedsMemoryFindsTheIdleKeysOfOthers() {
        MemoryBound bound = new MemoryBound(200_000);
        Limiter flooded = limiter(core(time, bound, Limit.tokenBucket(1, ofSeconds(1))));
        Limiter other = limiter(core(time, bound, Limit.tokenBucket(1, ofMinutes(1))));
        for (int i = 0; i < 10_000; i++) {
            flooded.tryAcquire("flood-" + i);
        }
        time.advance(ofSeconds(3));
        int admitted = 0;
        for (int i = 0; i < 100; i++) {
            time.advance(ofMillis(1));
            admitted += other.tryAcquire("k" + i) ? 1 : 0;
        }
        assertThat(admitted).isGreaterThan(90);
        assertThat(flooded.limits()).hasSize(1); // so that it is not collected before
    }

    @Test
    void whatGarbageTookComesBack() {
        MemoryBound bound = new MemoryBound(1 << 20);
        for (int i = 0; i < 10; i++) {
            limiter(core(time, bound, Limit.tokenBucket(1, ofMinutes(1)))).tryAcquire("k");
        }
        long end = System.nanoTime() + ofSeconds(30).toNanos();
        while (bound.usage().bytes() > 0 && System.nanoTime() < end) {
            System.gc();
        }
        assertThat(bound.usage()).isEqualTo(new StoreUsage(0, 0, 1 << 20, 0));
    }

    @Test
    void allBytesComeBackWhenKeysGo() {
        MemoryBound bound = new MemoryBound(1 << 20);
        Limit[] limits = {
            Limit.slidingLog(100, ofSeconds(1)), Limit.slidingWindow(100, ofSeconds(1), 100), Limit.concurrency(100)
        };
        LimiterCore core = core(time, bound, limits);
        Limiter limiter = limiter(core);
        long empty = 0;
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3000; i++) {
                limiter.release("k" + i % 500, limiter.decide("k" + i % 500, 1 + i % 7));
                time.advance(ofMillis(1));
            }
            limiter.change(limits);
            limiter.change(Limit.slidingLog(100, ofSeconds(1)));
            limiter.change(limits);
            time.advance(ofSeconds(5));
            for (int i = 0; i < 1000 && core.keyCount() > 0; i++) {
                limiter.peek("none");
                time.advance(ofMillis(1));
            }
            empty = round == 0 ? bound.usage().bytes() : empty;
            assertThat(bound.usage().bytes()).isEqualTo(empty);
        }
    }

    @Test
    void aBoundIsAtLeastAByte() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Store.builder().maxBytes(0).build())
                .withMessageContaining("was 0");
    }

    // ---- Cost

    @Test
    void aKeyCostsWhatItUsesNotWhatItCouldUse() {
        Limit limit = Limit.slidingWindow(1_000_000, ofHours(1), 3600);
        long one = bytesFor(2, "k", limit) - bytesFor(1, "k", limit);
        assertThat(one).isLessThan(250);
    }

    @Test
    void aMillionIdleKeysAreGoneAfterAFewThousandCalls() {
        LimiterCore core = core(time, 1L << 40, Limit.tokenBucket(10, ofSeconds(1)));
        Limiter limiter = limiter(core);
        for (int i = 0; i < 1_000_000; i++) {
            limiter.tryAcquire("one-off-" + i);
        }
        time.advance(ofSeconds(3));
        int calls = 0;
        while (core.keyCount() > 1 && calls < 100_000) {
            limiter.tryAcquire("regular");
            calls++;
        }
        assertThat(calls).isLessThan(6000);
    }

    @Test
    void aChangeToALogTakesNoMoreThanUnusedLogs() {
        MemoryBound bound = new MemoryBound(2_000_000);
        Limiter limiter = limiter(core(time, bound, Limit.tokenBucket(10_000, ofHours(24))));
        for (int i = 0; i < 1000; i++) {
            limiter.decide(key(i, 5), 9_999);
        }
        Limit log = Limit.slidingLog(10_000, ofHours(24));
        limiter.change(log);
        assertThat(bound.usage().bytes()).isLessThanOrEqualTo(bytesFor(1000, "12345", log));
        assertThat(limiter.peek(key(7, 5), 0).remaining()).isEqualTo(1);
    }

    @Test
    void aDecisionThatIsKeptKeepsNoDroppedCounter() {
        LimiterCore core = core(time, 1 << 20, Limit.slidingLog(10_000, ofSeconds(1)));
        Limiter limiter = limiter(core);
        Decision kept = limiter.decide("k", 9000);
        time.advance(ofSeconds(3));
        limiter.peek("other");
        assertThat(core.keyCount()).isZero();
        Entry entry = (Entry) Objects.requireNonNull(LimiterDecision.of(kept).counter());
        assertThat(entry.state.bytes()).isLessThan(1000);
        limiter.refund("k", kept);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(10_000);
    }

    /** With what others take and give back at the same time, a request for what is there is never refused. */
    @Test
    void whoAsksForTooMuchTakesNothingFromOthers() throws InterruptedException {
        MemoryBound bound = new MemoryBound(1000);
        LimiterCore core = core(time, bound, Limit.tokenBucket(1, ofSeconds(1)));
        MemoryBound.Account account = bound.account(core);
        AtomicBoolean stop = new AtomicBoolean();
        Thread greedy = new Thread(() -> {
            while (!stop.get()) {
                assertThat(account.tryReserve(1001)).isFalse();
            }
        });
        greedy.start();
        int refused = 0;
        for (int i = 0; i < 200_000; i++) {
            if (account.tryReserve(1)) {
                account.release(1);
            } else {
                refused++;
            }
        }
        stop.set(true);
        greedy.join();
        assertThat(refused).isZero();
    }

    // ---- Past the bound

    @Test
    void theSharedCounterEndsThoughHoldsOverlap() {
        Limit limit = Limit.concurrency(2);
        Limiter limiter = limiter(core(time, bytesFor(3, "kno-1", limit), limit));
        List<Decision> known = List.of(limiter.decide("kno-1"), limiter.decide("kno-2"), limiter.decide("kno-3"));
        Decision first = limiter.decide("a");
        for (int i = 0; i < 3; i++) {
            limiter.release("kno-" + (i + 1), known.get(i));
        }
        for (int i = 0; i < 20; i++) {
            time.advance(ofSeconds(1));
            Decision next = limiter.decide("b" + i);
            limiter.release("a", first);
            first = next;
        }
        for (int i = 0; i < 50; i++) {
            limiter.peek("x");
            time.advance(ofMillis(100));
        }
        List<Decision> others = List.of(limiter.decide("c"), limiter.decide("d"));
        assertThat(others).as("one permit is held of two, by another").allMatch(Decision::allowed);
    }

    @Test
    void aWaiterGetsWhatWasHeldOfTheSharedCounter() {
        Limit limit = Limit.concurrency(1);
        Limiter limiter = limiter(core(time, bytesFor(1, "known", limit), limit));
        Decision known = limiter.decide("known");
        Decision shared = limiter.decide("a");
        limiter.release("known", known);
        time.advance(ofSeconds(2));
        limiter.peek("known");
        var waiting = limiter.acquireAsync("a", 1, ofMinutes(1));
        assertThat(waiting).isNotDone();
        limiter.release("a", shared);
        assertThat(waiting).isCompleted();
    }

    @Test
    void aChangeKeepsWhatIsHeldOfTheSharedCounter() {
        Limit limit = Limit.concurrency(2);
        Limiter limiter = limiter(core(time, bytesFor(1, "known", limit), limit));
        Decision known = limiter.decide("known");
        Decision shared = limiter.decide("a", 2);
        limiter.release("known", known);
        time.advance(ofSeconds(2));
        limiter.peek("known");
        assertThat(limiter.decide("a").allowed()).as("in a counter of its own").isFalse();
        limiter.change(Limit.concurrency(3));
        assertThat(limiter.peek("a", 0).remaining()).isEqualTo(1);
        limiter.release("a", shared);
        assertThat(limiter.peek("a", 0).remaining()).isEqualTo(3);
    }

    @Test
    void aLogWithoutMemoryAdmitsWhatItCanRemember() {
        Limit limit = Limit.slidingLog(1000, ofSeconds(10));
        Limiter limiter = limiter(core(time, bytesFor(1, "k", limit) + 20 * 8, limit));
        long admitted = 0;
        for (int i = 0; i < 100; i++) {
            Decision next = limiter.peek("k");
            Decision made = limiter.decide("k");
            assertThat(made.allowed()).isEqualTo(next.allowed());
            assertThat(made.remaining()).isEqualTo(next.remaining());
            assertThat(made.remaining()).isEqualTo(limiter.peek("k", 0).remaining());
            admitted += made.allowed() ? 1 : 0;
            time.advance(ofMillis(10));
        }
        assertThat(admitted).as("eight to begin with, and twenty more").isEqualTo(28);
        assertThat(limiter.peek("k", 0).remaining()).isZero();
        assertThat(limiter.decide("k", 2).retryAfter()).isEqualTo(ofMillis(10_000 - 1000 + 10));
        assertThat(limiter.decide("k", 29).retryAfter()).isEqualTo(ofSeconds(10));
        time.advance(ofMillis(10_000 - 1000 + 10).minusNanos(1000));
        assertThat(limiter.decide("k", 2).allowed()).isFalse();
        time.advance(ofMillis(1));
        assertThat(limiter.decide("k", 2).allowed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 60, 3600})
    void aWindowWithoutMemoryNeverAdmitsTooMuchAndHeals(int slices) {
        Limit limit = Limit.slidingWindow(100, ofHours(1), slices);
        Limiter small = limiter(core(time, bytesFor(1, "k", limit), limit));
        Limiter exact = limiter(core(time, 1L << 40, limit));
        int admitted = 0;
        for (int i = 0; i < 5000; i++) {
            if (small.tryAcquire("k")) {
                admitted++;
                assertThat(exact.tryAcquire("k"))
                        .as("admitted too much, call %d", i)
                        .isTrue();
            }
            time.advance(ofSeconds(1 + i % 23));
        }
        assertThat(admitted).as("of 1,600 in 16 hours").isGreaterThan(700);
        time.advance(ofHours(3));
        assertThat(small.peek("k", 0).remaining()).isEqualTo(100);
    }
}
