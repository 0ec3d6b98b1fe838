package dev.sluice.redis.hold;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What one limiter has taken is ended through another of the same name, and stays ended. */
@Timeout(60)
@Tag("full")
class LimitersOfOneNameTest {
    private static final Duration LEASE = ofSeconds(1);

    private static RedisServer server;
    private RedisStore store;
    private Limiter one;
    private Limiter other;

    private record End(String name, Ending ending) {
        @Override
        public String toString() {
            return name;
        }
    }

    private interface Ending {
        void of(Limiter limiter, Decision taken);
    }

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
                .lease(LEASE)
                .onFailure(OnFailure.DENY)
                .build();
        one = limiter(store);
        other = limiter(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static Limiter limiter(RedisStore store) {
        return store.limiter("shared", Limit.concurrency(2));
    }

    private static long free(Limiter limiter) {
        return limiter.peek("k", 0).remaining();
    }

    static Stream<End> ends() {
        return Stream.of(
                new End("release", (limiter, taken) -> limiter.release("k", taken)),
                new End("refund", (limiter, taken) -> limiter.refund("k", taken)),
                new End("reset", (limiter, taken) -> limiter.reset("k")),
                new End(
                        "lease",
                        (limiter, taken) -> limiter.leaseAsync("k", taken, ofMinutes(5))
                                .thenCompose(id -> limiter.releaseLeaseAsync("k", id.orElseThrow()))
                                .join()));
    }

    /** The one that took it would renew it, find it gone, and add it again. */
    @ParameterizedTest
    @MethodSource("ends")
    void whatAnotherEndsIsNotRenewed(End end) throws Exception {
        end.ending.of(other, one.decide("k"));
        assertThat(free(one)).isEqualTo(2);
        Thread.sleep(LEASE.toMillis());
        assertThat(free(one)).as("after two renewals").isEqualTo(2);
    }

    @Test
    void whatIsHeldThroughTheOtherStaysHeld() throws Exception {
        Decision mine = one.decide("k");
        Decision yours = other.decide("k");
        one.release("k", yours);
        Thread.sleep(LEASE.multipliedBy(2).toMillis());
        assertThat(free(one)).isEqualTo(1);
        other.release("k", mine);
        assertThat(free(one)).isEqualTo(2);
    }

    /** Redis has put the hold under its lease, and its reply is late: the store would ask once more. */
    @Test
    void aLeaseThatIsNotConfirmedDoesNotComeBackAfterAReset() throws Exception {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore slow = RedisStore.builder()
                        .url(proxy.url())
                        .timeout(ofMillis(500))
                        .lease(ofMinutes(1))
                        .build()) {
            Limiter mine = limiter(slow);
            Eventually.holds(
                    "Redis decides", ofSeconds(10), () -> mine.peek("k", 1).source() == Decision.Source.REDIS);
            Decision taken = mine.decide("k");
            assertThat(taken.source()).isEqualTo(Decision.Source.REDIS);
            proxy.delay(ofMillis(600));
            mine.leaseAsync("k", taken, ofMinutes(5)).join();
            proxy.delay(ofMillis(0));
            Thread.sleep(150); // until the late reply has come
            mine.reset("k");
            Thread.sleep(1000);
            assertThat(free(one)).isEqualTo(2);
        }
    }
}
