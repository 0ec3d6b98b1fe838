package dev.sluice.local;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.LimiterBuilder;
import dev.sluice.Outcome;
import dev.sluice.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several limiters charged for one request, with everything that a limiter may have. */
class MultiLimiterChargeTest {
    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong nanos = new AtomicLong();
    private final dev.sluice.Ticker ticker = nanos::get;
    private final Store store = Store.local(ticker);
    private final Limiter open = store.limiter("open", Limit.fixedWindow(10, DAY));

    private List<Decision> decideAll(Charge... charges) {
        return store.decideAll(List.of(charges)).join();
    }

    private LimiterBuilder builder(Limit... limits) {
        return Limiter.builder(limits).ticker(ticker);
    }

    private static Charge charge(Limiter limiter, long permits) {
        return new Charge(limiter, "k", permits);
    }

    private static long left(Limiter limiter) {
        return limiter.peek("k", 0).remaining();
    }

    // ---- What is refused

    @Test
    void aLimiterOfAnotherStoreIsRefusedBeforeAnythingIsTaken() {
        try (Store another = Store.local(ticker)) {
            Limiter there = another.limiter("there", Limit.fixedWindow(5, DAY));
            assertThatThrownBy(() -> decideAll(charge(open, 1), charge(there.withShare(50), 1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Limiter there")
                    .hasMessageContaining("that this store made");
            assertThat(left(open)).isEqualTo(10);
        }
    }

    @Test
    void aLimiterOnAnotherClockIsRefused() {
        Limiter other = Limiter.local(
                () -> {
                    throw new IllegalStateException("a clock that fails");
                },
                Limit.fixedWindow(5, DAY));
        assertThatThrownBy(() -> decideAll(charge(open, 1), charge(other, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another clock");
        assertThat(left(open)).isEqualTo(10);
    }

    @Test
    void badChargesAreRefused() {
        assertThatThrownBy(() -> new Charge(open, "k", -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("permits must be 0 or more, was -1");
        assertThatThrownBy(() -> new Charge(open, "k", 1, ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxDelay must not be negative, was PT-0.001S");
        assertThat(decideAll()).isEmpty();
    }

    // ---- The same counter twice

    static List<Limit> kinds() {
        return List.of(
                Limit.fixedWindow(10, DAY),
                Limit.slidingWindow(10, DAY),
                Limit.slidingLog(10, DAY),
                Limit.tokenBucket(10, DAY),
                Limit.leakyBucket(10, DAY).queue(),
                Limit.concurrency(10));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void twoChargesToOneKeyAddUp(Limit limit) {
        Limiter limiter = store.limiter("limiter", limit);
        List<Decision> taken = decideAll(charge(limiter, 3), charge(open, 1), charge(limiter, 4));
        assertThat(taken).allMatch(Decision::allowed);
        assertThat(taken).extracting(Decision::permits).containsExactly(3L, 1L, 4L);
        assertThat(left(limiter)).isEqualTo(3);
        List<Decision> denied = decideAll(charge(limiter, 2), charge(open, 1), charge(limiter, 2));
        assertThat(denied)
                .extracting(Decision::outcome)
                .containsExactly(Outcome.ALLOWED, Outcome.ALLOWED, Outcome.DENIED);
        assertThat(denied.get(2).permits()).isEqualTo(2);
        assertThat(left(limiter)).isEqualTo(3);
        assertThat(left(open)).isEqualTo(9);
        limiter.refund("k", taken.get(2)); // the last first: a queue gives back no other place
        limiter.refund("k", taken.get(0));
        assertThat(left(limiter)).isEqualTo(10);
    }

    @Test
    void aLookAtACounterSeesWhatTheChargesBeforeItTake() {
        List<Decision> taken =
                decideAll(charge(open, 0), charge(open, 3), charge(open, 0), charge(open, 2), charge(open, 0));
        assertThat(taken).extracting(Decision::remaining).containsExactly(10L, 7L, 7L, 5L, 5L);
        List<Decision> denied = decideAll(charge(open, 0), charge(open, 4), charge(open, 0), charge(open, 4));
        assertThat(denied).extracting(Decision::remaining).containsExactly(5L, 5L, 5L, 5L);
        assertThat(left(open)).isEqualTo(5);
    }

    @Test
    void moreThanTheLimitInAllIsNever() {
        List<Decision> denied = decideAll(charge(open, 6), charge(open, 5), charge(open, Long.MAX_VALUE));
        assertThat(denied).extracting(Decision::outcome).containsExactly(Outcome.ALLOWED, Outcome.NEVER, Outcome.NEVER);
        assertThat(left(open)).isEqualTo(10);
    }

    @Test
    void theRetryAfterOfTwoChargesIsTight() {
        Limiter log = store.limiter("log", Limit.slidingLog(5, ofSeconds(10)));
        log.decide("k", 2);
        nanos.addAndGet(ofSeconds(1).toNanos());
        log.decide("k", 1);
        Decision denied = decideAll(charge(log, 2), charge(log, 2)).get(1);
        assertThat(denied.retryAfter()).isEqualTo(ofSeconds(9));
        nanos.addAndGet(ofSeconds(9).toNanos());
        assertThat(decideAll(charge(log, 2), charge(log, 2))).allMatch(Decision::allowed);
    }

    @Test
    void viewsOfOneLimiterShareItsCounter() {
        assertThat(decideAll(charge(open, 5), charge(open.withShare(50), 1)))
                .extracting(Decision::outcome)
                .containsExactly(Outcome.ALLOWED, Outcome.NEVER); // the first always leaves nothing of the half
        assertThat(decideAll(charge(open.withShare(50), 1), charge(open, 5))).allMatch(Decision::allowed);
        assertThat(left(open)).isEqualTo(4);
    }

    @Test
    void keysThatNobodyUsesAnyMoreAreDropped() {
        Limiter busy = store.limiter("busy", Limit.fixedWindow(1_000_000, ofSeconds(1)));
        for (int i = 0; i < 1000; i++) {
            decideAll(new Charge(busy, "idle" + i, 1), charge(open, 0));
        }
        assertThat(store.usage().keys()).isGreaterThanOrEqualTo(1000);
        nanos.addAndGet(ofSeconds(10).toNanos());
        for (int i = 0; i < 10_000; i++) {
            decideAll(charge(busy, 1), charge(open, 0));
        }
        assertThat(store.usage().keys()).isLessThan(10);
    }

    /** Two keys without room for counters of their own share one. */
    @Test
    void keysThatShareASpareCounterAddUp() {
        Limit limit = Limit.fixedWindow(3, DAY);
        Limiter full = builder(limit)
                .maxBytes(MemoryBoundTest.bytesFor(1, "first", limit))
                .build();
        full.decide("first");
        List<Decision> denied = decideAll(new Charge(full, "second", 2), new Charge(full, "third", 2));
        assertThat(denied).extracting(Decision::allowed).containsExactly(true, false);
        assertThat(decideAll(new Charge(full, "second", 2), new Charge(full, "third", 1)))
                .allMatch(Decision::allowed);
    }

    // ---- Options of a limiter

    @Test
    void zeroPermitsOnlyLook() {
        Limiter empty = store.limiter("empty", Limit.fixedWindow(1, DAY));
        empty.decide("k");
        List<Decision> seen = decideAll(charge(open, 1), charge(empty, 0));
        assertThat(seen).allMatch(Decision::allowed);
        assertThat(seen).extracting(Decision::remaining).containsExactly(9L, 0L);
    }

    @Test
    void aShadowNeverDeniesAndIsChargedWithTheOthers() {
        Limiter shadow = builder(Limit.fixedWindow(1, DAY)).shadow().build();
        Limiter shut = store.limiter("shut", Limit.fixedWindow(1, DAY));
        shut.decide("k");
        assertThat(decideAll(charge(shadow, 1), charge(shut, 1)).get(1).allowed())
                .isFalse();
        assertThat(left(shadow)).isEqualTo(1);
        assertThat(decideAll(charge(shadow, 1), charge(open, 1)))
                .extracting(Decision::outcome)
                .containsExactly(Outcome.ALLOWED, Outcome.ALLOWED);
        assertThat(left(shadow)).isZero();
        assertThat(decideAll(charge(shadow, 1), charge(open, 1)))
                .extracting(Decision::outcome)
                .containsExactly(Outcome.SHADOWED, Outcome.ALLOWED);
        assertThat(left(open)).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachListenerIsCalledOnceWithItsOwnDecision(boolean fails) {
        List<String> heard = new ArrayList<>();
        Limiter[] limiters = new Limiter[2];
        for (int i = 0; i < 2; i++) {
            int number = i;
            limiters[i] = builder(Limit.fixedWindow(1 + i, DAY))
                    .listener((key, decision) -> {
                        heard.add(number + " " + key + " " + decision.outcome() + " " + decision.remaining());
                        if (fails) {
                            throw new StackOverflowError("a listener that fails, on purpose");
                        }
                    })
                    .build();
        }
        assertThat(decideAll(charge(limiters[0], 1), charge(limiters[1], 1))).allMatch(Decision::allowed);
        assertThat(heard).containsExactly("0 k ALLOWED 0", "1 k ALLOWED 1");
        heard.clear();
        decideAll(charge(limiters[0], 1), charge(limiters[1], 1));
        assertThat(heard).containsExactly("0 k DENIED 0", "1 k ALLOWED 1");
        assertThat(left(limiters[1])).isEqualTo(1);
    }

    @Test
    void whoeverShedsDeniesTheWhole() {
        Limiter shedding = builder(Limit.fixedWindow(100, DAY)).shedFrom(0, 1).build();
        int shed = 0;
        for (int i = 0; i < 60; i++) {
            Decision decision = decideAll(charge(shedding, 1), charge(open, 0)).get(0);
            shed += decision.outcome() == Outcome.SHED ? 1 : 0;
        }
        assertThat(shed).isBetween(5, 40);
        assertThat(left(shedding)).isEqualTo(100 - (60 - shed));
    }

    @Test
    void theDelayOfAQueueMayBeTooLong() {
        Limiter queue = store.limiter(
                "queue", Limit.leakyBucket(1, ofSeconds(1)).capacity(10).queue());
        queue.decide("k", 3);
        Decision late = decideAll(charge(open, 1), new Charge(queue, "k", 1, ofSeconds(2)))
                .get(1);
        assertThat(late.allowed()).isFalse();
        assertThat(late.retryAfter()).isEqualTo(ofSeconds(1));
        assertThat(left(open)).isEqualTo(10);
        nanos.addAndGet(ofSeconds(1).toNanos());
        List<Decision> taken = decideAll(charge(open, 1), new Charge(queue, "k", 1, ofSeconds(2)));
        assertThat(taken).extracting(Decision::delay).containsExactly(Duration.ZERO, ofSeconds(2));
        assertThat(decideAll(charge(queue, 1), charge(open, 1)).get(0).delay()).isEqualTo(ofSeconds(3));
    }

    /** Whoever waits for a key goes first, as with one limiter. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aQueueOfWaitersBars(Limit limit) {
        if (limit.delays()) {
            return; // has no waiters
        }
        Limiter limiter = store.limiter("limiter", limit);
        Decision held = limiter.decide("k", 8);
        CompletableFuture<Decision> waiter = limiter.acquireAsync("k", 5, Duration.ofDays(2));
        assertThat(waiter).isNotDone();
        List<Decision> denied = decideAll(charge(open, 1), charge(limiter, 1));
        assertThat(denied).extracting(Decision::outcome).containsExactly(Outcome.ALLOWED, Outcome.DENIED);
        assertThat(denied.get(1)).isEqualTo(limiter.decide("k", 1));
        limiter.refund("k", held);
        assertThat(waiter).isDone();
        assertThat(decideAll(charge(open, 1), charge(limiter, 1))).allMatch(Decision::allowed);
        assertThat(left(limiter)).isEqualTo(4);
    }

    /** A share above that of the waiters is not barred; the charge must not lose the queue. */
    @Test
    void chargingPastAQueueKeepsIt() {
        Limiter log = store.limiter("log", Limit.slidingLog(10, DAY));
        Decision first = log.withShare(50).decide("k", 5);
        CompletableFuture<Decision> waiter = log.withShare(50).acquireAsync("k", 1, Duration.ofDays(2));
        assertThat(decideAll(charge(log, 2), charge(open, 1))).allMatch(Decision::allowed);
        assertThat(waiter).isNotDone();
        log.refund("k", first);
        assertThat(waiter).isDone();
    }

    // ---- Beside other calls

    /** Every admitted call charged both, whatever changes meanwhile. */
    @Test
    @Timeout(60)
    void besideChangesAndSingleCalls() {
        Limiter[] both = {
            store.limiter("a", Limit.slidingLog(1_000_000, DAY)), store.limiter("b", Limit.fixedWindow(1_000_000, DAY))
        };
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Long>> charging = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int first = i;
            charging.add(CompletableFuture.supplyAsync(() -> {
                long taken = 0;
                for (int call = 0; call < 3000; call++) {
                    taken += decideAll(charge(both[first], 2), charge(both[1 - first], 2)).stream()
                                    .allMatch(Decision::allowed)
                            ? 2
                            : 0;
                }
                return taken;
            }));
        }
        CompletableFuture<Void> changing = CompletableFuture.runAsync(() -> {
            for (int i = 0; !over.get(); i++) {
                both[0].change(Limit.slidingLog(1_000_000 + i % 3, DAY));
                both[1].change(Limit.fixedWindow(1_000_000 + i % 3, DAY));
                both[i % 2].refund("k", both[i % 2].decide("k", 1));
            }
        });
        long taken = charging.stream().mapToLong(CompletableFuture::join).sum();
        over.set(true);
        changing.join();
        for (Limiter limiter : both) {
            assertThat(limiter.limits().get(0).capacity() - left(limiter)).isEqualTo(taken);
        }
    }
}
