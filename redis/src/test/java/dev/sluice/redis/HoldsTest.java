package dev.sluice.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of permits that are held while their holder lives. */
@Timeout(60)
@Tag("slow")
class HoldsTest {
    private static final Duration LEASE = ofSeconds(1);

    private static RedisServer server;
    private RedisStore store;

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
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static RedisStore connected() {
        return RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .lease(LEASE)
                .onFailure(OnFailure.DENY)
                .build();
    }

    private static void pass(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }

    /** Each limiter renews what it holds, and asks at the same time as the other. */
    @Test
    void holdsOfTwoLimitersOfOneNameLastAsLong() throws Exception {
        Limiter one = store.limiter("shared", Limit.concurrency(4));
        Limiter other = store.limiter("shared", Limit.concurrency(4));
        List<CompletableFuture<Decision>> asked = new ArrayList<>();
        server.pause();
        try {
            for (Limiter each : List.of(one, one, other, one)) {
                asked.add(each.decideAsync("k", 1));
            }
        } finally {
            server.resume();
        }
        assertThat(asked).allMatch(each -> each.join().allowed());
        pass(LEASE.multipliedBy(3));
        assertThat(free(one)).isZero();
        other.release("k", asked.get(2).join());
        pass(LEASE);
        assertThat(free(one)).isEqualTo(1);
    }

    @Test
    void aHoldWhoseStateIsLostIsRestored() throws Exception {
        Limiter limiter = store.limiter("lost", Limit.concurrency(3), Limit.slidingLog(100, ofMinutes(10)));
        Decision two = limiter.decide("k", 2);
        Decision one = limiter.decide("k");
        server.command("FLUSHALL");
        Eventually.holds("both are held again", ofSeconds(20), () -> free(limiter) == 0);
        pass(LEASE.plus(LEASE)); // and stay so
        assertThat(free(limiter)).isZero();
        limiter.release("k", two);
        limiter.release("k", one);
        // a renewal that was under way may have added one again for a moment
        Eventually.holds("nothing is held", LEASE.dividedBy(2), () -> free(limiter) == 3);
        pass(LEASE);
        assertThat(free(limiter)).isEqualTo(3);
    }

    private static long free(Limiter limiter) {
        return limiter.peek("k", 0).perLimit().get(0).remaining();
    }

    @Test
    void aHoldWhoseStateIsDamagedIsRestored() {
        Limiter limiter = store.limiter("damaged", Limit.concurrency(1));
        Decision text = limiter.decide("text");
        Decision list = limiter.decide("list");
        for (String name : server.keys()) {
            server.command("DEL", name);
            server.command(name.contains("list") ? "RPUSH" : "SET", name, "C and more that makes no sense");
        }
        Eventually.holds(
                "both are restored", ofSeconds(20), () -> store.counters().holdsRestored() == 2);
        assertThat(limiter.decide("text").allowed()).isFalse();
        assertThat(limiter.decide("list").allowed()).isFalse();
        limiter.release("text", text);
        limiter.release("list", list);
        assertThat(limiter.decide("text").allowed()).isTrue();
    }

    @Test
    void refundedPermitsAreNotRenewed() throws Exception {
        Limiter limiter = store.limiter("refunded", Limit.concurrency(1000));
        for (int i = 0; i < 100; i++) {
            limiter.refund("k" + i, limiter.decide("k" + i));
        }
        Decision part = limiter.decide("part", 5);
        limiter.refund("part", part, 2);
        long calls = store.counters().calls();
        pass(LEASE.plus(LEASE));
        assertThat(store.counters().calls() - calls)
                .as("calls in two leases for one hold")
                .isBetween(2L, 10L);
        assertThat(limiter.peek("part", 0).remaining())
                .as("the whole stays held")
                .isEqualTo(995);
        assertThat(limiter.peek("k1", 0).remaining()).isEqualTo(1000);
        limiter.release("part", part);
    }

    @Test
    void manyHoldsAreRenewedInOneCall() throws Exception {
        Limiter limiter = store.limiter("many", Limit.concurrency(1000));
        List<Decision> held = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            held.add(limiter.decide("k" + i % 50));
        }
        long calls = store.counters().calls();
        pass(LEASE.plus(LEASE));
        assertThat(store.counters().calls() - calls)
                .as("calls in two leases for 150 holds")
                .isBetween(2L, 15L);
        for (int i = 0; i < held.size(); i++) {
            assertThat(limiter.peek("k" + i % 50, 0).remaining()).isEqualTo(997 + i / 50);
            limiter.release("k" + i % 50, held.get(i));
        }
    }

    /** Its lease ended, as in a long pause of the process, and another process has the permits. */
    @Test
    void aHoldIsNotRestoredBeyondTheLimit() {
        Limiter limiter = store.limiter("late", Limit.concurrency(1));
        try (RedisStore elsewhere = connected()) {
            Limiter other = elsewhere.limiter("late", Limit.concurrency(1));
            Decision mine = limiter.decide("k");
            server.command("FLUSHALL");
            Decision theirs = other.decide("k");
            assertThat(theirs.allowed()).isTrue();
            Eventually.holds("it is lost", ofSeconds(20), () -> store.counters().holdsLost() == 1);
            assertThat(other.peek("k", 0).remaining()).isZero();
            other.release("k", theirs);
            Eventually.holds(
                    "it is restored", ofSeconds(20), () -> store.counters().holdsRestored() == 1);
            assertThat(other.decide("k").allowed()).isFalse();
            assertThat(store.counters().holdsLost()).isEqualTo(1);
            limiter.release("k", mine);
            assertThat(other.decide("k").allowed()).isTrue();
        }
    }

    /** A renewal that is under way while its hold is released must not bring it back. */
    @Test
    void whatIsReleasedDuringARenewalStaysReleased() throws Exception {
        Limiter limiter = store.limiter("race", Limit.concurrency(100));
        long end = System.nanoTime() + ofSeconds(3).toNanos();
        while (System.nanoTime() < end) {
            List<Decision> held = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                held.add(limiter.decide("k"));
            }
            held.forEach(each -> limiter.releaseAsync("k", each));
        }
        Eventually.holds(
                "nothing is held", ofMillis(900), () -> limiter.peek("k", 0).remaining() == 100);
    }

    @Test
    void aResetEndsTheHoldsOfThisProcess() throws Exception {
        Limiter limiter = store.limiter("reset", Limit.concurrency(1));
        Decision held = limiter.decide("k");
        limiter.reset("k");
        pass(LEASE);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
        limiter.release("k", held);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(1);
    }

    /** The limits that were in force at its release hold nothing. */
    @Test
    void aHoldThatIsReleasedUnderOtherLimitsIsNotRenewed() {
        Limiter limiter = store.limiter("changed", Limit.concurrency(2));
        Decision one = limiter.decide("k");
        Decision other = limiter.decide("k");
        limiter.change(Limit.tokenBucket(1000, ofSeconds(1)));
        limiter.release("k", one);
        limiter.release("k", other);
        limiter.change(Limit.concurrency(2));
        Eventually.holds(
                "nothing is held when the lease is over",
                LEASE.multipliedBy(10),
                () -> free(limiter) == 2,
                () -> "free " + free(limiter));
    }

    @Test
    void aReleaseOfWhatIsNotHeldCostsNoCall() {
        Limiter limiter = store.limiter("rate", Limit.fixedWindow(10, ofMinutes(10)));
        Decision taken = limiter.decide("k", 3);
        long calls = store.counters().calls();
        limiter.release("k", taken);
        assertThat(store.counters().calls()).isEqualTo(calls);
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(7);
    }
}
