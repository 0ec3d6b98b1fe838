package dev.sluice.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Holds under a lease, which any process ends by their id. */
@Timeout(60)
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
