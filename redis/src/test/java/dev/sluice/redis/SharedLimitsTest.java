package dev.sluice.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sluice.Decision;
import dev.sluice.Hold;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Outcome;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.redis.script.Script;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What limiters on one Redis do together, by its clock. */
@Timeout(60)
@Tag("slow")
class SharedLimitsTest {
    private static RedisServer server;
    private RedisStore store;
    private RedisStore other;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void connect() {
        server.command("FLUSHALL");
        store = connected();
        other = connected();
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
    }

    private static RedisStore connected() {
        return RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .lease(ofSeconds(1))
                .onFailure(OnFailure.DENY)
                .build();
    }

    @Test
    void limitersOfOneNameShareTheirCounters() {
        Limiter here = store.limiter("login", Limit.slidingLog(3, ofMinutes(1)));
        Limiter there = other.limiter("login", Limit.slidingLog(3, ofMinutes(1)));
        assertThat(here.tryAcquire("a")).isTrue();
        assertThat(there.tryAcquire("a")).isTrue();
        assertThat(here.tryAcquire("a")).isTrue();
        assertThat(there.tryAcquire("a")).isFalse();
        assertThat(there.tryAcquire("b")).isTrue();
        assertThat(other.limiter("another", Limit.slidingLog(3, ofMinutes(1))).tryAcquire("a"))
                .isTrue();
    }

    @Test
    void tenPerThreeSecondsAdmitTenOfFifteenAtOnceAndOneMoreOnceTheyHaveLeft() throws Exception {
        Limiter limiter = store.limiter("log", Limit.slidingLog(10, ofSeconds(3)));
        List<CompletableFuture<Decision>> calls = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            calls.add(limiter.decideAsync("a", 1));
        }
        assertThat(calls.stream().filter(call -> call.join().allowed())).hasSize(10);
        assertThat(limiter.acquire("a", 1, ofSeconds(5)).allowed()).isTrue();
        assertThat(limiter.peek("a", 0).remaining()).isBetween(0L, 9L);
    }

    @Test
    void aFleetAdmitsExactlyTheLimit() throws Exception {
        long limit = 500;
        LongAdder admitted = new LongAdder();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        for (int i = 0; i < 8; i++) {
            Limiter limiter = (i % 2 == 0 ? store : other).limiter("sale", Limit.tokenBucket(limit, ofMinutes(50)));
            threads.execute(() -> {
                for (int call = 0; call < 100; call++) {
                    if (limiter.tryAcquire("item")) {
                        admitted.increment();
                    }
                }
            });
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(50, TimeUnit.SECONDS)).isTrue();
        assertThat(admitted.sum()).isEqualTo(limit);
    }

    @Test
    void severalLimitsAreOneRoundTripAndAllOrNothing() {
        Limiter both = store.limiter(
                "both", Limit.tokenBucket(5, ofMinutes(1)), Limit.fixedWindow(2, ofMinutes(1)), Limit.concurrency(9));
        long before = store.counters().asked();
        assertThat(both.decide("a", 2).allowed()).isTrue();
        assertThat(store.counters().asked() - before).isEqualTo(1);
        Decision denied = both.decide("a", 1);
        assertThat(denied.outcome()).isEqualTo(Outcome.DENIED);
        assertThat(denied.limit()).isEqualTo(2);
        assertThat(store.limiter("both", Limit.tokenBucket(5, ofMinutes(1)))
                        .peek("a", 0)
                        .remaining())
                .isEqualTo(3);
    }

    @Test
    void everyKeyExpiresOnceItsStateIsFresh() {
        List<Limit> limits = List.of(
                Limit.fixedWindow(2, ofMillis(300)),
                Limit.slidingWindow(2, ofMillis(300), 3),
                Limit.slidingLog(2, ofMillis(300)),
                Limit.tokenBucket(2, ofMillis(300)),
                Limit.leakyBucket(2, ofMillis(300)).queue());
        for (int i = 0; i < limits.size(); i++) {
            Decision decision = store.limiter("expires-" + i, limits.get(i)).decide("a", 2);
            String name = "sluice:{expires-" + i + ":a}:"
                    + List.of("1F300ms", "1W300ms", "1L300ms", "2T300ms", "2Q300ms")
                            .get(i);
            Object millis = server.command("PTTL", name);
            assertThat((Long) millis)
                    .as("time to live of %s", limits.get(i))
                    .isBetween(1L, decision.resetAfterMicros() / 1000 + 4);
        }
        Eventually.holds(
                "all keys are gone", ofSeconds(20), () -> Long.valueOf(0).equals(server.command("DBSIZE")));
    }

    @Test
    void givingEverythingBackLeavesNoKey() {
        for (Limit limit : List.of(
                Limit.fixedWindow(2, ofMinutes(1)),
                Limit.slidingWindow(2, ofMinutes(1), 3),
                Limit.slidingLog(2, ofMinutes(1)),
                Limit.tokenBucket(2, ofMinutes(1)),
                Limit.concurrency(2))) {
            Limiter limiter = store.limiter("refund", limit);
            limiter.refund("a", limiter.decide("a", 2));
            assertThat(server.command("DBSIZE")).as("keys after %s", limit).isEqualTo(0L);
        }
    }

    @Test
    void aDecisionIsRefundedInParts() {
        for (Limit limit : List.of(
                Limit.fixedWindow(10, ofMinutes(10)),
                Limit.slidingWindow(10, ofMinutes(10), 3),
                Limit.slidingLog(10, ofMinutes(10)),
                Limit.tokenBucket(10, ofMinutes(50)),
                Limit.leakyBucket(10, ofMinutes(50)).queue())) {
            Limiter limiter = store.limiter("parts", limit);
            Decision taken = limiter.decide("a", 8);
            limiter.refund("a", taken, 3);
            assertThat(limiter.peek("a", 0).remaining()).as("with %s", limit).isEqualTo(5);
            limiter.refundAsync("a", taken, 4).join();
            assertThat(limiter.peek("a", 0).remaining()).as("with %s", limit).isEqualTo(9);
            assertThatIllegalArgumentException().isThrownBy(() -> limiter.refund("a", taken, 9));
            limiter.reset("a");
        }
        Limiter holds = store.limiter("holds", Limit.concurrency(10));
        Decision held = holds.decide("a", 8);
        holds.refund("a", held, 3);
        assertThat(holds.peek("a", 0).remaining()).as("held until released").isEqualTo(2);
        holds.release("a", held);
        assertThat(holds.peek("a", 0).remaining()).isEqualTo(10);
    }

    @Test
    void aRefundReachesOnlyALimitThatWasCharged() {
        Limit second = Limit.tokenBucket(10, ofMinutes(50));
        Limit day = Limit.fixedWindow(100, ofMinutes(50)).aligned();
        Limiter limiter = store.limiter("changed", second);
        Decision early = limiter.decide("a", 6);
        limiter.change(Limit.tokenBucket(20, ofMinutes(50)), day);
        limiter.decide("a", 3);
        limiter.refund("a", early);
        assertThat(limiter.peek("a", 0).perLimit())
                .as("another rate, and a limit that was not there")
                .extracting(Decision::remaining)
                .containsExactly(11L, 97L);
        Decision late = limiter.decide("a", 5);
        limiter.change(Limit.tokenBucket(20, ofMinutes(50)));
        limiter.refund("a", late);
        assertThat(limiter.peek("a", 0).remaining()).isEqualTo(11);
    }

    @Test
    void aDeniedKeyIsAnsweredHere() {
        Limiter limiter = store.limiter("denied", Limit.fixedWindow(1, ofMinutes(1)));
        limiter.tryAcquire("a");
        Decision first = limiter.decide("a");
        long asked = store.counters().asked();
        for (int i = 0; i < 100; i++) {
            Decision again = limiter.decide("a");
            assertThat(again.outcome()).isEqualTo(Outcome.DENIED);
            assertThat(again.retryAfterMicros()).isLessThanOrEqualTo(first.retryAfterMicros());
        }
        assertThat(store.counters().asked() - asked).isLessThanOrEqualTo(2); // one more for each second that passes
        assertThat(store.counters().answeredHere()).isGreaterThanOrEqualTo(98);
    }

    @Test
    void whatThisProcessGivesBackIsKnownHereAtOnce() {
        Limiter limiter = store.limiter("known", Limit.fixedWindow(1, ofMinutes(1)));
        Decision taken = limiter.decide("a");
        assertThat(limiter.tryAcquire("a")).isFalse();
        limiter.refund("a", taken);
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
        limiter.reset("a");
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
        limiter.change(Limit.fixedWindow(2, ofMinutes(1)));
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
    }

    @Test
    void whatAnotherProcessGivesBackIsKnownHereWithinASecond() {
        Limiter here = store.limiter("elsewhere", Limit.fixedWindow(1, ofMinutes(1)));
        Limiter there = other.limiter("elsewhere", Limit.fixedWindow(1, ofMinutes(1)));
        assertThat(here.tryAcquire("a")).isTrue();
        assertThat(here.tryAcquire("a")).isFalse();
        there.reset("a");
        Eventually.holds("the reset is noticed", ofSeconds(20), () -> here.tryAcquire("a"));
    }

    @Test
    void permitsOfAHolderThatDiedAreFreeWhenItsLeaseIsOver() {
        Limiter dying = other.limiter("uploads", Limit.concurrency(1));
        Limiter living = store.limiter("uploads", Limit.concurrency(1));
        assertThat(dying.decide("a").allowed()).isTrue();
        Decision denied = living.decide("a");
        assertThat(denied.outcome()).isEqualTo(Outcome.DENIED);
        assertThat(denied.retryAfterMicros()).isBetween(1L, 1_000_000L);
        other.close(); // as if it had died: it renews nothing and releases nothing
        Eventually.holds(
                "the permit is free", ofSeconds(20), () -> living.decide("a").allowed());
    }

    @Test
    void permitsOfAHolderThatLivesStayHeldPastTheirLease() throws Exception {
        Limiter holding = store.limiter("held", Limit.concurrency(1));
        Limiter waiting = other.limiter("held", Limit.concurrency(1));
        try (Hold hold = holding.hold("a")) {
            assertThat(hold.allowed()).isTrue();
            for (int i = 0; i < 5; i++) {
                assertThat(waiting.acquire("a", 1, ofMillis(400)).allowed()).isFalse();
                TimeUnit.MILLISECONDS.sleep(350); // past the lease of one second, all in all
            }
        }
        assertThat(waiting.decide("a").allowed()).isTrue();
    }

    @Test
    void whoWaitsForAHeldPermitHasItSoonAfterItsReleaseElsewhere() {
        Limiter here = store.limiter("release", Limit.concurrency(1));
        Limiter there = other.limiter("release", Limit.concurrency(1));
        Decision held = there.decide("a");
        CompletableFuture<Decision> turn = here.acquireAsync("a", 1, ofSeconds(20));
        assertThat(here.acquireAsync("b", 2, ofSeconds(20)).join().never()).isTrue();
        assertThat(turn).isNotDone();
        there.release("a", held);
        assertThat(turn.join().allowed()).isTrue();
    }

    @Test
    void waitingIsFirstComeFirstServedAndHopelessWaitsAreRefusedAtOnce() {
        Limiter limiter = store.limiter("wait", Limit.slidingLog(1, ofMillis(300)));
        assertThat(limiter.tryAcquire("a")).isTrue();
        CompletableFuture<Decision> hopeless = limiter.acquireAsync("a", 1, ofMillis(20));
        assertThat(hopeless.join().allowed()).isFalse();
        List<Integer> served = new ArrayList<>();
        CompletableFuture<?> first = limiter.acquireAsync("a", 1, ofSeconds(20)).thenRun(() -> note(served, 1));
        CompletableFuture<Decision> cancelled = limiter.acquireAsync("a", 1, ofSeconds(20));
        CompletableFuture<?> second =
                limiter.acquireAsync("a", 1, ofSeconds(20)).thenRun(() -> note(served, 2));
        cancelled.cancel(false);
        CompletableFuture.allOf(first, second).join();
        assertThat(served).containsExactly(1, 2);
    }

    private static void note(List<Integer> served, int who) {
        synchronized (served) {
            served.add(who);
        }
    }

    @Test
    void aQueueSpacesWhatItAdmits() throws Exception {
        Limiter limiter = store.limiter(
                "queue", Limit.leakyBucket(10, ofSeconds(1)).capacity(3).queue());
        assertThat(limiter.decide("a").delayMicros()).isZero();
        assertThat(limiter.decide("a").delayMicros()).isBetween(1L, 100_000L);
        assertThat(limiter.tryAcquire("a")).isFalse();
        assertThat(limiter.acquire("a", 1, ofSeconds(1)).allowed()).isTrue();
    }

    @Test
    void aCalendarWindowIsRightWhateverTheFirstGuessOfTheTime() {
        Limiter limiter =
                store.limiter("daily", Limit.fixedWindow(2, ofMinutes(1)).aligned(ZoneId.of("Asia/Kolkata")));
        RedisLimiterCore wrong = new RedisLimiterCore(
                "daily",
                other.setup(),
                LimitScripts.of(
                        limiter.limits(), Script.file("server-time"), 0, RedisStore.wallMicros() - 3_600_000_000L),
                OnFailure.DENY,
                0);
        Decision here = limiter.decide("a");
        Decision there = wrong.take("a", 1, 100, LimitScripts.ANY_DELAY).join();
        assertThat(there.allowed()).isTrue();
        assertThat(here.remaining() + there.remaining()).isLessThanOrEqualTo(3);
        assertThat(there.resetAfterMicros()).isBetween(1L, 60_000_000L);
    }

    @Test
    void aShareLeavesTheRestToOthers() {
        Limiter limiter = store.limiter("share", Limit.tokenBucket(10, ofMinutes(50)));
        Limiter background = limiter.withShare(50);
        for (int i = 0; i < 5; i++) {
            assertThat(background.tryAcquire("a")).isTrue();
        }
        assertThat(background.tryAcquire("a")).isFalse();
        assertThat(limiter.decide("a", 5).allowed()).isTrue();
    }

    @Test
    void whoOnlyWatchesDeniesNothing() {
        List<Outcome> outcomes = new ArrayList<>();
        Limiter limiter = store.limiterBuilder("shadow", Limit.fixedWindow(1, ofMinutes(1)))
                .shadow()
                .listener((key, decision) -> outcomes.add(decision.outcome()))
                .build();
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(outcomes).containsExactly(Outcome.ALLOWED, Outcome.SHADOWED);
    }

    @Test
    void changedLimitsForgiveNothing() {
        Limiter bucket = store.limiter("bucket", Limit.tokenBucket(10, ofMinutes(50)));
        bucket.decide("a", 6);
        bucket.change(Limit.tokenBucket(7, ofMinutes(61)));
        assertThat(bucket.peek("a", 0).remaining()).isEqualTo(1);
        Limiter window = store.limiter("window", Limit.fixedWindow(10, ofMinutes(1)));
        window.decide("a", 6);
        window.change(Limit.fixedWindow(7, ofMinutes(2)));
        assertThat(window.peek("a", 0).remaining()).isEqualTo(1);
        assertThat(window.peek("a").resetAfterMicros()).isGreaterThan(60_000_000L);
        Limiter slices = store.limiter("slices", Limit.slidingWindow(10, ofMinutes(6), 6));
        slices.decide("a", 6);
        slices.change(Limit.slidingWindow(7, ofMinutes(10), 5));
        assertThat(slices.peek("a", 0).remaining()).isEqualTo(1);
        Limiter log = store.limiter("log", Limit.slidingLog(10, ofMinutes(6)));
        log.decide("a", 6);
        log.change(Limit.slidingLog(7, ofMinutes(10)));
        assertThat(log.peek("a", 0).remaining()).isEqualTo(1);
    }

    @Test
    void anotherAlgorithmInTheSamePlaceBeginsFresh() {
        List<Limit> limits = List.of(
                Limit.fixedWindow(3, ofMinutes(1)),
                Limit.tokenBucket(3, ofMinutes(1)),
                Limit.slidingWindow(3, ofMinutes(1), 3),
                Limit.slidingLog(3, ofMinutes(1)),
                Limit.concurrency(3));
        for (Limit before : limits) {
            for (Limit after : limits) {
                server.command("FLUSHALL");
                store.limiter("place", before).decide("a", 2);
                Decision decision = store.limiter("place", after).decide("a", 1);
                assertThat(decision.remaining())
                        .as("%s after %s", after, before)
                        .isEqualTo(before == after ? 0 : 2);
            }
        }
    }

    @Test
    void badInputIsRefusedWithAReason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.limiter("", Limit.fixedWindow(1, ofMinutes(1))))
                .withMessageContaining("needs a name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.limiter("none"))
                .withMessageContaining("at least one limit");
        Limit[] many = new Limit[Script.MAX_LIMITS + 1];
        Arrays.fill(many, Limit.fixedWindow(1, ofMinutes(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.limiter("many", many))
                .withMessageContaining("at most 8 limits");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.limiter("log", Limit.slidingLog(65_537, ofMinutes(1))))
                .withMessage(
                        "a sliding log on Redis has at most 65536 permits, was 65537 per 1m sliding-log: a longer one"
                                + " would keep Redis busy for more than a millisecond; use a sliding window, such as 65537 per"
                                + " 1m");
        assertThatIllegalStateException()
                .isThrownBy(() -> store.limiter("held", Limit.concurrency(1)).tryAcquire("a"))
                .withMessageContaining("use hold");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        store.limiter("a", Limit.fixedWindow(1, ofMinutes(1))).tryAcquire("a", -1))
                .withMessageContaining("was -1");
    }

    @Test
    void asManyLimitsAsAreAllowedFitIntoOneScript() {
        Limit[] many = new Limit[Script.MAX_LIMITS];
        List<Limit> kinds = List.of(
                Limit.fixedWindow(3, ofMinutes(1)),
                Limit.slidingWindow(3, ofMinutes(1), 3),
                Limit.slidingLog(3, ofMinutes(1)),
                Limit.tokenBucket(3, ofMinutes(1)),
                Limit.concurrency(3));
        for (Limit kind : kinds) {
            String key = kind.algorithm();
            Arrays.fill(many, kind);
            Limiter limiter = store.limiter("many", many);
            Decision taken = limiter.decide(key, 3);
            assertThat(taken.allowed()).as("8 of %s", kind).isTrue();
            assertThat(limiter.decide(key, 1).allowed()).isFalse();
            limiter.refund(key, taken);
            assertThat(limiter.decide(key, 3).allowed()).isTrue();
            Limit[] next = new Limit[Script.MAX_LIMITS];
            Arrays.fill(next, Limit.slidingLog(4, ofMinutes(2)));
            limiter.change(next);
            assertThat(limiter.decide(key, 1).allowed()).as("after a change").isTrue();
        }
    }

    @Test
    void manyCallsInFlightShareTheWire() throws Exception {
        Limiter limiter = store.limiter("flight", Limit.tokenBucket(1000, ofMinutes(50)));
        CountDownLatch done = new CountDownLatch(2000);
        LongAdder admitted = new LongAdder();
        for (int i = 0; i < 2000; i++) {
            limiter.decideAsync("a", 1).thenAccept(decision -> {
                if (decision.allowed()) {
                    admitted.increment();
                }
                done.countDown();
            });
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(admitted.sum()).isEqualTo(1000);
    }
}
