package dev.sluice.redis.hold;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Holds under a lease, which any process ends by their id. */
@Timeout(60)
@Tag("full")
class LeasesTest {
    private static RedisServer server;
    private RedisStore here;
    private RedisStore there;

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
        here = connected();
        there = connected();
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    private static RedisStore connected() {
        return RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .lease(ofSeconds(1))
                .build();
    }

    private static Limiter limiter(RedisStore store) {
        return store.limiter("leases", OnFailure.LOCAL, Limit.concurrency(2), Limit.fixedWindow(100, ofMinutes(10)));
    }

    private static long free(Limiter limiter) {
        return limiter.peek("k", 0).perLimit().get(0).remaining();
    }

    @Test
    void anotherProcessReleasesIt() {
        Limiter mine = limiter(here);
        Limiter yours = limiter(there);
        Decision taken = mine.decide("k");
        long id = mine.leaseAsync("k", taken, ofMinutes(5)).join().orElseThrow();
        long other = mine.leaseAsync("k", mine.decide("k"), ofMinutes(5)).join().orElseThrow();
        assertThat(yours.decide("k").allowed()).isFalse();
        assertThat(yours.releaseLeaseAsync("k", id + 1).join()).isFalse();
        assertThat(yours.releaseLeaseAsync("l", id).join()).isFalse();
        assertThat(yours.releaseLeaseAsync("k", id).join()).isTrue();
        assertThat(yours.releaseLeaseAsync("k", id).join()).isFalse();
        mine.release("k", taken); // it is not this process' any more
        assertThat(free(mine)).isEqualTo(1);
        assertThat(yours.releaseLeaseAsync("k", other).join()).isTrue();
        assertThat(free(mine)).isEqualTo(2);
        assertThat(mine.peek("k", 0).perLimit().get(1).remaining())
                .as("rates stay taken")
                .isEqualTo(98);
    }

    /** Longer than the lease of the store, and shorter; and whether or not the process that took it lives. */
    @Test
    void itEndsWithItsLease() throws Exception {
        Limiter mine = limiter(here);
        mine.leaseAsync("k", mine.decide("k"), ofMillis(2500)).join();
        mine.leaseAsync("k", mine.decide("k"), ofMillis(200)).join();
        Limiter yours = limiter(there);
        long began = System.nanoTime();
        Eventually.holds("the short one has ended", ofSeconds(10), () -> free(yours) == 1);
        here.close();
        Eventually.holds("the long one has ended", ofSeconds(20), () -> free(yours) == 2);
        assertThat(System.nanoTime() - began).isGreaterThan(ofSeconds(2).toNanos());
        Eventually.holds(
                "Redis has forgotten it",
                ofSeconds(10),
                () -> server.keys().stream().noneMatch(name -> name.endsWith("1C")));
    }

    @Test
    void aWaiterOfTheProcessThatReleasesGetsIt() {
        Limiter mine = limiter(here);
        Limiter yours = limiter(there);
        long id = mine.leaseAsync("k", mine.decide("k", 2), ofMinutes(5)).join().orElseThrow();
        CompletableFuture<Decision> waiting = yours.acquireAsync("k", 1, ofSeconds(30));
        assertThat(waiting).isNotDone();
        yours.releaseLeaseAsync("k", id).join();
        assertThat(waiting.join().allowed()).isTrue();
    }

    @Test
    void whatThisProcessGrantedWithoutRedisEndsHere() {
        Limiter mine = limiter(here);
        here.close(); // from now on as if Redis did not answer
        Decision taken = mine.decide("k");
        assertThat(taken.source()).isEqualTo(Decision.Source.LOCAL);
        long id = mine.leaseAsync("k", taken, ofMinutes(5)).join().orElseThrow();
        assertThat(free(mine)).isEqualTo(1);
        assertThat(mine.releaseLeaseAsync("k", id).join()).isTrue();
        assertThat(free(mine)).isEqualTo(2);
        assertThatThrownBy(() -> mine.releaseLeaseAsync("k", id).join())
                .hasRootCauseMessage("Redis did not answer; the hold ends with its lease");
    }

    /** The connection goes silent between taking a hold and putting it under its lease. */
    @Test
    void aSilentConnectionDoesNotKeepAHoldFromItsLease() throws InterruptedException {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = impatient(proxy.url(), ofSeconds(1))) {
            Limiter mine = limiter(store);
            awaitRedis(mine);
            Decision taken = mine.decide("k");
            assertThat(taken.source()).isEqualTo(Decision.Source.REDIS);
            proxy.silence();
            long id = mine.leaseAsync("k", taken, ofMinutes(5)).join().orElseThrow();
            Thread.sleep(2500); // longer than the lease of the store
            Limiter yours = limiter(there);
            Eventually.holds(
                    "its id ends it",
                    ofSeconds(10),
                    () -> yours.releaseLeaseAsync("k", id).join());
            assertThat(free(yours)).isEqualTo(2);
        }
    }

    @Test
    void aSilentConnectionDoesNotKeepAHoldBeyondItsLease() {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = impatient(proxy.url(), ofMinutes(1))) {
            Limiter mine = limiter(store);
            awaitRedis(mine);
            Decision ends = mine.decide("k");
            Decision released = mine.decide("k");
            proxy.silence();
            mine.leaseAsync("k", ends, ofMillis(300)).join();
            long id = mine.leaseAsync("k", released, ofMinutes(5)).join().orElseThrow();
            assertThat(mine.releaseLeaseAsync("k", id).join()).isTrue();
            Limiter yours = limiter(there);
            Eventually.holds("both have ended", ofSeconds(10), () -> free(yours) == 2);
        }
    }

    /** Redis stands still for longer than the lease of the store: the hold is gone when it goes on. */
    @Test
    void aHoldThatIsGoneBeforeItsLeaseIsAddedAgain() throws InterruptedException {
        try (RedisServer own = RedisServer.start();
                RedisStore store = impatient(own.url(), ofSeconds(1));
                RedisStore other = impatient(own.url(), ofSeconds(1))) {
            Limiter mine = limiter(store);
            awaitRedis(mine);
            Decision taken = mine.decide("k");
            own.pause();
            long id = mine.leaseAsync("k", taken, ofMinutes(5)).join().orElseThrow();
            Thread.sleep(2000);
            own.resume();
            Limiter yours = limiter(other);
            awaitRedis(yours);
            Eventually.holds(
                    "it is there again",
                    ofSeconds(10),
                    () -> yours.releaseLeaseAsync("k", id)
                            .exceptionally(silent -> false)
                            .join());
        }
    }

    /** Redis grants a hold, and the reply comes when the failure policy has decided. */
    @Test
    void aHoldThatIsGrantedTooLateEnds() {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = impatient(proxy.url(), ofMinutes(1))) {
            Limiter mine = limiter(store);
            Limiter yours = limiter(there);
            awaitRedis(mine);
            proxy.delay(ofMillis(1200));
            CompletableFuture<Decision> late = mine.decideAsync("k", 1);
            Eventually.holds("Redis has granted it", ofSeconds(10), () -> free(yours) == 1);
            assertThat(late.join().source()).isNotEqualTo(Decision.Source.REDIS);
            proxy.delay(ofMillis(0));
            Eventually.holds("it has ended", ofSeconds(10), () -> free(yours) == 2);
        }
    }

    @Test
    void holdsOfSeveralLimitersThatAreGrantedTooLateEnd() {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = impatient(proxy.url(), ofMinutes(1))) {
            Limiter mine = limiter(store);
            Limiter rate = store.limiter("rate", OnFailure.LOCAL, Limit.fixedWindow(5, ofMinutes(10)));
            Limiter yours = limiter(there);
            awaitRedis(mine);
            proxy.delay(ofMillis(1200));
            CompletableFuture<List<Decision>> late =
                    store.decideAll(List.of(new Charge(rate, "k", 1), new Charge(mine, "k", 1)));
            Eventually.holds("Redis has granted it", ofSeconds(10), () -> free(yours) == 1);
            assertThat(late.join()).noneMatch(decision -> decision.source() == Decision.Source.REDIS);
            proxy.delay(ofMillis(0));
            Eventually.holds("it has ended", ofSeconds(10), () -> free(yours) == 2);
        }
    }

    private static RedisStore impatient(String url, Duration lease) {
        return RedisStore.builder().url(url).timeout(ofMillis(500)).lease(lease).build();
    }

    private static void awaitRedis(Limiter limiter) {
        Eventually.holds(
                "Redis decides", ofSeconds(10), () -> limiter.peek("other", 1).source() == Decision.Source.REDIS);
    }

    /** The caller sees limits that hold nothing, so it releases nothing: this process must not renew what it took. */
    @Test
    void whatIsTakenWhileTheLimitsChangeIsNotRenewed() {
        Limit held = Limit.concurrency(1);
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = RedisStore.builder()
                        .url(proxy.url())
                        .timeout(ofSeconds(5))
                        .lease(ofSeconds(1))
                        .build()) {
            Limiter limiter = store.limiter("changes", OnFailure.DENY, held);
            Eventually.holds(
                    "Redis decides", ofSeconds(10), () -> limiter.peek("k", 1).allowed());
            proxy.delay(ofMillis(300));
            CompletableFuture<Decision> taken = limiter.decideAsync("k", 1);
            limiter.change(Limit.fixedWindow(100, ofMinutes(10)));
            assertThat(taken.join().allowed()).isTrue();
            proxy.delay(ofMillis(0));
            limiter.change(held);
            Eventually.holds(
                    "it ends with the lease",
                    ofSeconds(10),
                    () -> limiter.peek("k", 1).allowed());
        }
    }
}
