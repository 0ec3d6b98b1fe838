package dev.sluice.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.servers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A decision tells who made it, and a refund goes to where its permits were taken. */
@Timeout(60)
class DecisionSourceTest {
    private static final Limit TWO = Limit.fixedWindow(2, ofMinutes(10));

    private static RedisServer server;
    private static RedisStore store;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        store = RedisStore.builder().url(server.url()).timeout(ofSeconds(10)).build();
    }

    @AfterAll
    static void stop() {
        store.close();
        server.close();
    }

    @Test
    void redisAndThenTheDenialCache() {
        Limiter limiter = store.limiter("plain", TWO, Limit.slidingLog(9, ofMinutes(10)));
        Decision taken = limiter.decide("k", 2);
        assertThat(taken.source()).isEqualTo(Source.REDIS);
        assertThat(taken.perLimit()).extracting(Decision::source).containsOnly(Source.REDIS);
        assertThat(limiter.peek("k", 1).source()).isEqualTo(Source.REDIS);
        limiter.decide("k", 1);
        Decision denied = limiter.decide("k", 1);
        assertThat(denied.source()).isEqualTo(Source.DENIAL_CACHE);
        assertThat(denied.perLimit()).extracting(Decision::source).containsOnly(Source.DENIAL_CACHE);
    }

    @Test
    void whoWaitsIsToldThatRedisDenied() {
        Limiter limiter = store.limiter("waiting", Limit.slidingLog(1, ofMinutes(10)));
        limiter.decide("k", 1);
        Decision refused = limiter.acquireAsync("k", 1, ofMillis(1)).join();
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.source()).isIn(Source.REDIS, Source.DENIAL_CACHE);
    }

    @Test
    void theFirstOfABatchIsOfRedisAndTheNextOfTheBatch() {
        Limiter limiter = store.limiterBuilder("batched", Limit.fixedWindow(1000, ofMinutes(10)))
                .batched(50)
                .build();
        Decision first = limiter.decide("k", 1);
        assertThat(first.source()).isEqualTo(Source.REDIS);
        Decision second = first;
        for (int i = 0; i < 100 && second.source() == Source.REDIS; i++) {
            second = limiter.decide("k", 1);
        }
        assertThat(second.source()).isEqualTo(Source.BATCH);
        limiter.reset("k"); // what is left of the batch is dropped
        Limiter exact = store.limiter("batched", Limit.fixedWindow(1000, ofMinutes(10)));
        exact.decide("k", 10);
        limiter.refund("k", second);
        assertThat(exact.peek("k", 0).remaining()).as("a refund of a batch").isGreaterThanOrEqualTo(990);
    }

    @Test
    void thePolicyAndThisProcessWhileThereIsNoRedis() {
        try (RedisStore gone = RedisStore.builder().url("redis://127.0.0.1:1").build()) {
            assertThat(gone.limiter("allow", OnFailure.ALLOW, TWO).decide("k").source())
                    .isEqualTo(Source.FAILURE_POLICY);
            assertThat(gone.limiter("deny", OnFailure.DENY, TWO).decide("k").source())
                    .isEqualTo(Source.FAILURE_POLICY);
            Limiter local = gone.limiter("local", OnFailure.LOCAL, TWO);
            Decision taken = local.decide("k", 2);
            assertThat(taken.source()).isEqualTo(Source.LOCAL);
            assertThat(local.tryAcquire("k")).isFalse();
            local.refund("k", taken);
            assertThat(local.peek("k", 0).remaining()).isEqualTo(2);
        }
    }

    @Test
    void permitsTakenWithoutRedisAreNotRefundedToRedis() {
        Limiter shared = store.limiter("both", TWO);
        shared.decide("k", 1);
        for (OnFailure policy : OnFailure.values()) {
            try (RedisServer own = RedisServer.start();
                    RedisStore failing = RedisStore.builder().url(own.url()).build()) {
                Limiter limiter = failing.limiter("both", policy, TWO);
                own.pause();
                Decision taken = limiter.decide("k", 1);
                own.resume();
                shared.refund("k", taken);
                assertThat(shared.peek("k", 0).remaining())
                        .as("a refund of %s", taken)
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void nothingIsLeftToRefundOfARequestThatAnotherLimiterDenied() {
        Limiter roomy = store.limiter("roomy", TWO);
        Limiter full = store.limiter("full", Limit.fixedWindow(1, ofMinutes(10)));
        roomy.decide("k", 1);
        full.decide("k", 1);
        List<Decision> decisions = store.decideAll(List.of(new Charge(roomy, "k", 1), new Charge(full, "k", 1)))
                .join();
        assertThat(decisions).extracting(Decision::allowed).containsExactly(true, false);
        roomy.refund("k", decisions.get(0));
        assertThat(roomy.peek("k", 0).remaining()).isEqualTo(1);
    }
}
