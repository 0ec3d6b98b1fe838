package dev.sluice.redis;

import static java.time.Duration.ofHours;
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
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every wait on Redis ends, whatever happens to the limits, the futures and the store meanwhile. */
@Timeout(60)
class WaitingTest {
    private static final Decision FOREIGN = LimiterDecision.allowed(1, 1, 0, 0);
    /** Much more than a round trip, and much less than the waits of this class. */
    private static final Duration AT_ONCE = ofSeconds(5);

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
        store = RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .onFailure(OnFailure.DENY)
                .build();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static RedisStore withoutRedis() {
        return RedisStore.builder().url("redis://127.0.0.1:1").build();
    }

    private static void assertDeniedAtOnce(CompletableFuture<Decision> wait) {
        assertThat(wait).succeedsWithin(AT_ONCE).matches(decision -> !decision.allowed(), "denied");
    }

    private static void assertAllowedAtOnce(CompletableFuture<Decision> wait) {
        assertThat(wait).succeedsWithin(AT_ONCE).matches(Decision::allowed, "allowed");
    }

    // ---- The end of the store

    @Test
    void closingTheStoreEndsTheWaits() {
        Limiter log = store.limiter("log", Limit.slidingLog(1, ofHours(1)));
        Limiter uploads = store.limiter("uploads", Limit.concurrency(1));
        Limiter queue = store.limiter(
                "queue", Limit.leakyBucket(1, ofMinutes(1)).capacity(5).queue());
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (Limiter limiter : List.of(log, uploads, queue)) {
            limiter.decide("k");
            waits.add(limiter.acquireAsync("k", 1, ofHours(2)));
            waits.add(limiter.acquireAsync("k", 1, ofHours(2)));
        }
        Eventually.holds("they wait", AT_ONCE, () -> store.counters().asked() >= 9);
        assertThat(waits).noneMatch(CompletableFuture::isDone);
        store.close();
        waits.forEach(WaitingTest::assertDeniedAtOnce);
        assertDeniedAtOnce(log.acquireAsync("k", 1, ofHours(2)));
        assertDeniedAtOnce(uploads.acquireAsync("k", 1, ofHours(2)));
        assertDeniedAtOnce(queue.acquireAsync("k", 1, ofHours(2)));
    }

    // ---- Those who cannot succeed

    @Test
    void theSecondWaiterOfAHopelessWaitIsRefusedAtOnce() {
        for (Limit limit : List.of(
                Limit.tokenBucket(1, ofMinutes(10)),
                Limit.leakyBucket(1, ofMinutes(10)),
                Limit.slidingLog(1, ofMinutes(10)),
                Limit.slidingWindow(1, ofMinutes(10), 5),
                Limit.fixedWindow(1, ofMinutes(10)))) {
            Limiter limiter = store.limiter("second", limit);
            limiter.reset("k");
            limiter.decide("k");
            CompletableFuture<Decision> first = limiter.acquireAsync("k", 1, ofMinutes(13));
            CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, ofMinutes(13));
            assertDeniedAtOnce(second);
            assertThat(second.join().retryAfter()).as("with %s", limit).isBetween(ofMinutes(19), ofMinutes(25));
            assertThat(first).as("with %s", limit).isNotDone();
            CompletableFuture<Decision> patient = limiter.acquireAsync("k", 1, ofMinutes(30));
            limiter.reset("k");
            assertAllowedAtOnce(first);
            assertThat(patient).as("with %s", limit).isNotDone();
            patient.cancel(false);
        }
    }

    @Test
    void otherLimitsRefuseThoseThatNoLongerFitAndServeTheRest() {
        Limiter limiter = store.limiter("change", Limit.slidingLog(10, ofHours(1)));
        limiter.decide("k", 10);
        CompletableFuture<Decision> small = limiter.acquireAsync("k", 1, ofHours(2));
        CompletableFuture<Decision> large = limiter.acquireAsync("k", 9, ofHours(3));
        CompletableFuture<Decision> hasty = limiter.acquireAsync("k", 2, ofHours(3));
        CompletableFuture<Decision> patient = limiter.acquireAsync("k", 2, ofHours(50));
        limiter.change(Limit.slidingLog(5, ofHours(2)));
        assertThat(large).succeedsWithin(AT_ONCE).matches(Decision::never, "never");
        limiter.change(Limit.slidingLog(2, ofHours(2)));
        assertDeniedAtOnce(hasty);
        assertThat(small).isNotDone();
        assertThat(patient).isNotDone();
        limiter.change(Limit.slidingLog(20, ofHours(1)));
        assertAllowedAtOnce(small);
        assertAllowedAtOnce(patient);
    }

    // ---- Owners that complete their futures

    @Test
    void aFutureThatItsOwnerCompletesTakesNothingAndLetsTheOthersMoveUp() {
        Limiter limiter = store.limiter("owner", Limit.slidingLog(2, ofHours(1)));
        limiter.decide("k");
        CompletableFuture<Decision> large = limiter.acquireAsync("k", 2, ofHours(2));
        Eventually.holds("it waits", AT_ONCE, () -> store.counters().asked() >= 2);
        CompletableFuture<Decision> small = limiter.acquireAsync("k", 1, ofHours(2));
        large.complete(FOREIGN);
        assertAllowedAtOnce(small);
        assertThat(limiter.peek("k", 0).remaining()).isZero();
    }

    @Test
    void aPlaceInAQueueIsGivenBackByItsOwner() {
        Limiter queue = store.limiter(
                "place", Limit.leakyBucket(1, ofMinutes(10)).capacity(3).queue());
        queue.decide("k");
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Decision> wait = queue.acquireAsync("k", 1, ofHours(1));
            if (i % 2 == 0) {
                Eventually.holds(
                        "it has its place", AT_ONCE, () -> queue.peek("k", 0).remaining() == 1);
            }
            wait.cancel(false);
            Eventually.holds(
                    "its place is free", AT_ONCE, () -> queue.peek("k", 0).remaining() == 2);
        }
    }

    @Test
    void refundsReleasesAndResetsServeAllThatCanGo() {
        Limiter log = store.limiter("all", Limit.slidingLog(4, ofHours(1)));
        Limiter background = log.withShare(50);
        Decision taken = log.decide("k", 4);
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waits.add((i == 0 ? background : log).acquireAsync("k", 1, ofHours(24)));
        }
        log.refund("k", taken, 2);
        Eventually.holds(
                "two go",
                AT_ONCE,
                () -> waits.stream().filter(CompletableFuture::isDone).count() == 2);
        assertThat(waits.get(0)).as("its share is in use").isNotDone();
        log.reset("k");
        waits.forEach(WaitingTest::assertAllowedAtOnce);
    }

    // ---- While Redis does not answer

    @Test
    void thousandsThatReleaseInTheirContinuationDoNotRecurse() {
        int many = 20_000;
        try (RedisStore dead = withoutRedis()) {
            Limiter limiter = dead.limiter("chain", Limit.concurrency(1));
            Decision held = limiter.decide("k");
            AtomicInteger served = new AtomicInteger();
            for (int i = 0; i < many; i++) {
                CompletableFuture<Void> after = limiter.acquireAsync("k", 1, ofHours(1))
                        .thenAccept(decision -> {
                            served.incrementAndGet();
                            limiter.release("k", decision);
                        });
                assertThat(after).isNotDone();
            }
            limiter.release("k", held);
            Eventually.holds("all are served", ofSeconds(30), () -> served.get() == many, served::toString);
        }
    }

    @Test
    void aQueueIsWaitedForByItsDelayUnderTheLocalPolicyToo() throws Exception {
        try (RedisStore dead = withoutRedis()) {
            Limiter queue = dead.limiter(
                    "queue", Limit.leakyBucket(10, ofSeconds(1)).capacity(3).queue());
            assertThat(queue.acquire("k", 1, ofSeconds(20)).allowed()).isTrue();
            assertThat(queue.acquire("k", 1, ofSeconds(20)).allowed()).isTrue();
            assertThat(queue.acquire("k", 1, ofMillis(1)).allowed()).isFalse();
            assertThat(queue.tryAcquire("k")).as("it would be delayed").isFalse();
        }
    }
}
