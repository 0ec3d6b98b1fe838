package dev.sluice.redis;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Outcome;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which denials a process remembers, and for how long. */
@Timeout(60)
class DenialCacheTest {
    private static RedisStore connected(RedisServer server) {
        return RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .onFailure(OnFailure.DENY)
                .build();
    }

    /** A denial that Redis made before the refund may arrive after it. */
    @Test
    void aRefundIsNotOvertakenByADenial() {
        int keys = 50;
        try (RedisServer server = RedisServer.start();
                RedisStore store = connected(server)) {
            Limiter limiter = store.limiter("beside", Limit.fixedWindow(1, ofHours(1)));
            int denied = 0;
            for (int i = 0; i < keys; i++) {
                String key = "k" + i;
                Decision taken = limiter.decide(key);
                List<CompletableFuture<Decision>> before = new ArrayList<>();
                for (int call = 0; call < 20; call++) {
                    before.add(limiter.decideAsync(key, 1));
                }
                CompletableFuture<?> refund = limiter.refundAsync(key, taken);
                refund.join();
                long took =
                        before.stream().filter(each -> each.join().allowed()).count(); // after the refund
                took += limiter.decide(key).allowed() ? 1 : 0;
                assertThat(took).as("there is one permit").isLessThanOrEqualTo(1);
                denied += took == 1 ? 0 : 1;
            }
            assertThat(denied)
                    .as("of %d keys stay denied after the refund", keys)
                    .isZero();
        }
    }

    @Test
    void aResetAndOtherLimitsAreNotOvertakenEither() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = connected(server)) {
            Limiter limiter = store.limiter("beside", Limit.fixedWindow(1, ofHours(1)));
            for (int i = 0; i < 50; i++) {
                String key = "k" + i;
                limiter.decide(key);
                List<CompletableFuture<Decision>> before = new ArrayList<>();
                for (int call = 0; call < 20; call++) {
                    before.add(limiter.decideAsync(key, 1));
                }
                if (i % 2 == 0) {
                    limiter.reset(key);
                } else {
                    limiter.change(Limit.fixedWindow(i + 2, ofHours(1)));
                }
                long took =
                        before.stream().filter(each -> each.join().allowed()).count();
                took += limiter.decide(key).allowed() ? 1 : 0;
                assertThat(took)
                        .as("one after a reset; under other limits the last")
                        .isEqualTo(1);
                limiter.change(Limit.fixedWindow(1, ofHours(1)));
            }
        }
    }

    @Test
    void longKeysAreDeniedHereTooWithoutBeingKept() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = connected(server)) {
            Limiter limiter = store.limiter("long", Limit.fixedWindow(1, ofHours(1)));
            String key = "x".repeat(8192);
            limiter.decide(key);
            assertThat(limiter.decide(key).allowed()).isFalse();
            assertThat(limiter.decide(key).source()).isEqualTo(Decision.Source.DENIAL_CACHE);
            assertThat(limiter.decide(key.substring(1) + "y").allowed()).isTrue();
            assertThat(store.setup().denials().bytes()).isBetween(1L, 1000L);
        }
    }

    @Test
    void itsBytesAreBoundedAndItRecoversWhenTheyWereAllInUse() {
        try (RedisServer server = RedisServer.start();
                RedisStore store = connected(server)) {
            ScriptCalls calls = ((RedisLimiter) store.limiter("bytes", Limit.fixedWindow(1, ofHours(1))))
                    .core()
                    .calls();
            DenialCache cache = new DenialCache(1 << 20);
            Decision denied = LimiterDecision.denied(Outcome.DENIED, 1, 1, 0, 3_600_000_000L, 3_600_000_000L);
            long now = System.nanoTime();
            for (int i = 0; i < 100_000; i++) {
                add(cache, calls, "some key of an ordinary length, number " + i, denied, now);
                assertThat(cache.bytes()).isLessThanOrEqualTo(1 << 20);
            }
            long later = now + DenialCache.MAX_AGE_NANOS;
            add(cache, calls, "later", denied, later);
            assertThat(cache.find(calls, "later", 1, 100, later)).isNotNull();
            assertThat(cache.bytes()).isLessThan(1000);
        }
    }

    private static void add(DenialCache cache, ScriptCalls calls, String key, Decision denied, long calledAt) {
        cache.add(
                DenialCache.Standing.of(calls, key, 100, denied),
                calls.scripts().limits(),
                List.of(),
                calledAt);
    }
}
