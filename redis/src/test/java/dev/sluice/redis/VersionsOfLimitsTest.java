package dev.sluice.redis;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
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
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Law 15: while a fleet rolls from one set of limits to another, half of it has the one and half the other. */
@Timeout(120)
@Tag("slow")
class VersionsOfLimitsTest {
    private static final int REQUESTS = 100;

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
                .onFailure(OnFailure.DENY)
                .build();
    }

    /** Every algorithm, with these permits; long enough that nothing comes back during a test. */
    private static List<Limit> all(long permits) {
        return List.of(
                Limit.fixedWindow(permits, ofHours(5)),
                Limit.fixedWindow(permits, ofDays(30)).aligned(),
                Limit.slidingWindow(permits, ofHours(5), 5),
                Limit.slidingWindow(permits, ofHours(5), 10).weighted(),
                Limit.slidingLog(permits, ofHours(5)),
                Limit.tokenBucket(permits, ofDays(100)),
                Limit.leakyBucket(permits, ofDays(100)),
                Limit.concurrency(permits));
    }

    /** The permits that two versions admit when each is asked for one by turns. */
    private long admitted(String key, Limit[] one, Limit[] other) {
        Limiter first = here.limiter("rule", one);
        Limiter second = there.limiter("rule", other);
        long admitted = 0;
        for (int i = 0; i < REQUESTS; i++) {
            admitted += first.decide(key).allowed() ? 1 : 0;
            admitted += second.decide(key).allowed() ? 1 : 0;
        }
        return admitted;
    }

    private static long capacity(List<Limit> limits) {
        return limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
    }

    @Test
    @DisplayName("15. Other algorithms: together at most the sum")
    void otherAlgorithms() {
        List<Limit> ours = all(5);
        List<Limit> theirs = all(7);
        for (int i = 0; i < ours.size(); i++) {
            for (int j = 0; j < theirs.size(); j++) {
                assertThat(admitted("k" + i + "-" + j, new Limit[] {ours.get(i)}, new Limit[] {theirs.get(j)}))
                        .as("%s beside %s", ours.get(i), theirs.get(j))
                        .isBetween(7L, 12L);
            }
        }
    }

    @Test
    @DisplayName("15. Other numbers: together no more than the larger")
    void otherNumbers() {
        List<Limit> ours = all(5);
        List<Limit> theirs = all(7);
        for (int i = 0; i < ours.size(); i++) {
            assertThat(admitted("k" + i, new Limit[] {ours.get(i)}, new Limit[] {theirs.get(i)}))
                    .as("%s beside %s", ours.get(i), theirs.get(i))
                    .isEqualTo(7);
        }
    }

    @Test
    @DisplayName("15. The same limits in another order are the same limits")
    void otherOrder() {
        Limit[] limits = {
            Limit.tokenBucket(50, ofDays(100)), Limit.tokenBucket(9, ofDays(200)), Limit.slidingLog(20, ofHours(5))
        };
        Limit[] reversed = {limits[2], limits[1], limits[0]};
        assertThat(admitted("k", limits, reversed)).isEqualTo(9);
        assertThat(here.limiter("rule", limits).peek("k", 0).perLimit())
                .extracting(Decision::remaining)
                .containsExactly(41L, 0L, 11L);
    }

    @Test
    @DisplayName("15. What was counted under a limit that both have stays counted")
    void sharedLimitsStayCounted() {
        Limit day = Limit.fixedWindow(1000, ofDays(1)).aligned(ZoneOffset.UTC);
        Limit second = Limit.tokenBucket(500, ofDays(100));
        here.limiter("rule", second, day).decide("k", 300);
        assertThat(there.limiter("rule", day, second).peek("k", 0).perLimit())
                .as("two lines swapped")
                .extracting(Decision::remaining)
                .containsExactly(700L, 200L);
        assertThat(there.limiter("rule", day).peek("k", 0).remaining())
                .as("a line removed")
                .isEqualTo(700);
        assertThat(there.limiter("rule", Limit.slidingLog(9, ofMinutes(1)), Limit.tokenBucket(500, ofDays(101)), day)
                        .peek("k", 0)
                        .perLimit())
                .as("lines added, one of the same algorithm")
                .extracting(Decision::remaining)
                .containsExactly(9L, 500L, 700L);
    }

    @Test
    @DisplayName("15. Any two versions: together at most the sum, and the common limits count both")
    void anyTwoVersions() {
        Random random = new Random(15);
        for (int round = 0; round < 60; round++) {
            List<Limit> pool = new ArrayList<>(all(3 + random.nextInt(20)));
            pool.addAll(all(3 + random.nextInt(20)));
            pool.add(Limit.tokenBucket(3 + random.nextInt(20), ofDays(200)));
            pool.add(Limit.slidingLog(3 + random.nextInt(20), ofHours(9)));
            List<Limit> one = some(pool, random);
            List<Limit> other = some(pool, random);
            String key = "k" + round;
            long admitted = admitted(key, one.toArray(Limit[]::new), other.toArray(Limit[]::new));
            assertThat(admitted)
                    .as("%s beside %s", one, other)
                    .isGreaterThanOrEqualTo(Math.min(capacity(one), capacity(other)))
                    .isLessThanOrEqualTo(capacity(one) + capacity(other));
            if (one.stream().anyMatch(other::contains)) {
                long common = capacity(one.stream().filter(other::contains).toList());
                assertThat(admitted).as("%s beside %s", one, other).isLessThanOrEqualTo(common);
            }
        }
    }

    /** One to three limits, no two of the same algorithm and period: such are told apart by their permits' order. */
    private static List<Limit> some(List<Limit> pool, Random random) {
        Collections.shuffle(pool, random);
        List<Limit> some = new ArrayList<>();
        for (Limit limit : pool.subList(0, 1 + random.nextInt(3))) {
            boolean alike = some.stream()
                    .anyMatch(each ->
                            each.getClass() == limit.getClass() && Objects.equals(each.period(), limit.period()));
            if (!alike) {
                some.add(limit);
            }
        }
        return some;
    }

    @Test
    void limitsOfOneAlgorithmAndPeriodHaveStatesOfTheirOwn() {
        Limit small = Limit.tokenBucket(10, ofDays(100)).burst(20);
        Limit large = Limit.tokenBucket(11, ofDays(100)).burst(30);
        here.limiter("rule", small, large).decide("k", 4);
        assertThat(there.limiter("rule", large, small).peek("k", 0).perLimit())
                .extracting(Decision::remaining)
                .containsExactly(26L, 16L);
        assertThat(server.keys()).containsExactlyInAnyOrder("sluice:{rule:k}:2T100d", "sluice:{rule:k}:2T100d.1");
    }

    @Test
    void aChangeContinuesTheCountsUnderAnotherPeriod() {
        Limiter limiter = here.limiter("rule", Limit.slidingLog(10, ofHours(1)), Limit.tokenBucket(20, ofDays(100)));
        limiter.decide("k", 4);
        limiter.change(Limit.tokenBucket(20, ofDays(100)), Limit.slidingLog(10, ofHours(2)));
        assertThat(limiter.peek("k", 0).perLimit())
                .extracting(Decision::remaining)
                .containsExactly(16L, 6L);
        limiter.decide("k", 1);
        assertThat(limiter.peek("k", 0).perLimit())
                .extracting(Decision::remaining)
                .containsExactly(15L, 5L);
        assertThat(there.limiter("rule", Limit.slidingLog(10, ofHours(1)))
                        .peek("k", 0)
                        .remaining())
                .as("a process that has not been changed yet keeps its own")
                .isEqualTo(6);
    }

    @Test
    void aChangeToAShorterPeriodDeniesForThatPeriodAtMost() {
        Limiter limiter = here.limiter("rule", Limit.fixedWindow(1000, ofDays(1)));
        limiter.decide("k", 500);
        limiter.change(Limit.fixedWindow(10, ofSeconds(1)));
        Decision denied = limiter.decide("k");
        assertThat(denied.retryAfterMicros()).isBetween(1L, 1_000_000L);
        Eventually.holds("the next window", ofSeconds(20), () -> limiter.tryAcquire("k"));
    }

    @Test
    void aRefundFindsItsLimitAfterTheOrderChanged() {
        Limit log = Limit.slidingLog(10, ofHours(1));
        Limit bucket = Limit.tokenBucket(20, ofDays(100));
        Limiter limiter = here.limiter("rule", log, bucket);
        Decision taken = limiter.decide("k", 4);
        limiter.change(bucket, log);
        limiter.refund("k", taken);
        assertThat(limiter.peek("k", 0).perLimit())
                .extracting(Decision::remaining)
                .containsExactly(20L, 10L);
    }

    /** The state that a limit of another period begins with is a copy, and is as sound as one that was written anew. */
    @Test
    void aLimitOfAnotherPeriodContinuesTheCountsOfTheOneBefore() {
        for (Function<Duration, Limit> kind : List.<Function<Duration, Limit>>of(
                period -> Limit.fixedWindow(10, period),
                period -> Limit.slidingWindow(10, period, 5),
                period -> Limit.slidingLog(10, period),
                period -> Limit.tokenBucket(10, period))) {
            for (Duration after : List.of(ofMinutes(10), ofMinutes(50), ofHours(2))) {
                Limiter limiter = here.limiter("changed-" + kind.apply(after), kind.apply(ofHours(1)));
                assertThat(limiter.decide("half", 5).allowed()).isTrue();
                assertThat(limiter.decide("full", 10).allowed()).isTrue();
                limiter.change(kind.apply(after));
                String what = "1h to " + kind.apply(after);
                assertThat(limiter.decide("full").allowed()).as(what).isFalse();
                Decision fits = limiter.decide("half", 4);
                assertThat(fits.allowed()).as(what).isTrue();
                assertThat(fits.source()).as(what).isEqualTo(Decision.Source.REDIS);
                assertThat(limiter.decide("half", 4).allowed()).as(what).isFalse();
            }
        }
        assertThat(here.counters().damagedStates()).isZero();
        assertThat(server.keys()).allMatch(key -> server.command("PTTL", key) instanceof Long millis && millis > 0);
    }

    @Test
    void anExpiryThatWasShortenedDoesNotEraseWhatTheSameScriptTook() {
        Limiter limiter = here.limiter("foreign", Limit.tokenBucket(50, ofHours(1)));
        limiter.decide("k", 10);
        server.keys().forEach(key -> server.command("PEXPIRE", key, "5000"));
        List<CompletableFuture<Decision>> together =
                Stream.generate(() -> limiter.decideAsync("k", 1)).limit(60).toList();
        assertThat(together.stream().filter(each -> each.join().allowed()).count())
                .isLessThanOrEqualTo(50);
        assertThat(limiter.decide("k").allowed()).isFalse();
    }
}
