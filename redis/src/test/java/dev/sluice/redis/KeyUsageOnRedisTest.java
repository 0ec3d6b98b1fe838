package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.KeyUsage;
import dev.sluice.KeyUsage.Span;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.contract.FakeClock;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a key has used on a real Redis: as in this process. The law is in {@link dev.sluice.contract.LimiterContract}. */
@SuppressWarnings("NullAway.Init")
class KeyUsageOnRedisTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static RedisServer server;
    private static TestClockStore store;

    private final FakeClock clock = new FakeClock(1_000_000_000_000L);
    private final Random random = new Random(16);

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        store = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE);
    }

    @AfterAll
    static void stop() {
        store.close();
        server.close();
    }

    /** Both take the same at the same times, and look now and then. */
    private void alike(int steps, long maxGap, long maxPermits, Limit limit) {
        Limiter there = store.limiter(clock, limit);
        Limiter here = Limiter.local(clock, limit);
        for (int i = 0; i < steps; i++) {
            clock.advance(random.nextLong(maxGap));
            long permits = 1 + random.nextLong(maxPermits);
            assertThat(there.decide("k", permits).allowed())
                    .isEqualTo(here.decide("k", permits).allowed());
            if (i % 20 == 0) {
                assertThat(usage(there)).as("step %d", i).isEqualTo(usage(here));
            }
        }
        for (int i = 0; i < 50; i++) {
            clock.advance(random.nextLong(steps * maxGap / 50 + 1));
            KeyUsage used = usage(there).get(0);
            assertThat(List.of(used)).isEqualTo(usage(here));
            assertThat(used.spans()).hasSizeLessThanOrEqualTo(KeyUsage.MAX_SPANS);
            assertThat(used.spans().stream().mapToLong(Span::permits).sum()).isEqualTo(used.used());
        }
    }

    private static List<KeyUsage> usage(Limiter limiter) {
        return limiter.usageAsync("k").join();
    }

    @Test
    void aLogThatIsARing() {
        alike(1500, 100_000, 40, Limit.slidingLog(20_000, MINUTE));
    }

    @Test
    void aLogThatIsFull() {
        alike(300, 1000, 500, Limit.slidingLog(1 << 16, MINUTE));
    }

    @Test
    void aShortLog() {
        alike(500, 2_000_000, 4, Limit.slidingLog(60, MINUTE));
    }

    @Test
    void manySlices() {
        alike(600, 20_000_000, 10, Limit.slidingWindow(100_000, Duration.ofHours(1), 3600));
    }

    /** A state is written for the new slices with the next charge only, so its spans need not be those of this process. */
    @Test
    void otherNumbersOfSlices() {
        Limiter limiter = store.limiter(clock, Limit.slidingWindow(1000, MINUTE, 6));
        for (int slices : new int[] {240, 10, 1, 60}) {
            for (int i = 0; i < 100; i++) {
                clock.advance(random.nextLong(300_000));
                limiter.decide("k", 1 + random.nextLong(3));
                KeyUsage used = usage(limiter).get(0);
                assertThat(1000 - used.used()).isEqualTo(limiter.peek("k", 0).remaining());
                assertThat(used.spans()).hasSizeLessThanOrEqualTo(KeyUsage.MAX_SPANS);
                assertThat(used.spans().stream().mapToLong(Span::permits).sum()).isEqualTo(used.used());
            }
            limiter.change(Limit.slidingWindow(1000, MINUTE, slices));
        }
    }

    @Test
    void aWeightedWindow() {
        alike(500, 200_000, 3, Limit.slidingWindow(1000, MINUTE, 2).weighted());
    }

    @Test
    void aCalendarWindowBesideALog() {
        Limiter both = store.limiter(
                clock,
                Limit.fixedWindow(5, ChronoUnit.MINUTES, ZoneOffset.UTC),
                Limit.slidingLog(9, Duration.ofHours(1)));
        both.tryAcquire("k", 4);
        assertThat(usage(both)).extracting(KeyUsage::used).containsExactly(4L, 4L);
        clock.advance(60_000_000);
        assertThat(usage(both)).extracting(KeyUsage::used).containsExactly(0L, 4L);
    }

    @Test
    void lookingWritesNothing() {
        try (RedisStore real = RedisStore.builder().url(server.url()).build()) {
            Limiter limiter = real.limiter("looked-at", Limit.slidingLog(5, MINUTE), Limit.slidingWindow(5, MINUTE, 6));
            assertThat(usage(limiter)).containsExactly(new KeyUsage(0, List.of()), new KeyUsage(0, List.of()));
            assertThat(server.keys()).noneMatch(key -> key.contains("looked-at"));
            assertThat(limiter.decide("k").remaining()).isEqualTo(4);
            assertThat(usage(limiter)).extracting(KeyUsage::used).containsExactly(1L, 1L);
            assertThat(limiter.peek("k", 0).remaining()).isEqualTo(4);
        }
    }

    @Test
    void aDamagedStateIsDeletedAndCountsAsNothing() {
        try (RedisStore real = RedisStore.builder().url(server.url()).build()) {
            Limiter limiter = real.limiter("damaged", Limit.slidingLog(5, MINUTE), Limit.slidingWindow(5, MINUTE, 6));
            limiter.decide("k");
            String log = server.keys().stream()
                    .filter(key -> key.contains("{damaged:") && key.contains("1L"))
                    .findFirst()
                    .orElseThrow();
            server.command("SET", log, "no state");
            assertThat(usage(limiter)).extracting(KeyUsage::used).containsExactly(0L, 1L);
        }
    }

    /** Somebody wrote them: entries in no order, numbers that are none, a slice in the far future. */
    @Test
    void aStateThatMakesNoSenseIsBounded() {
        try (RedisStore real = RedisStore.builder().url(server.url()).build()) {
            Limiter limiter =
                    real.limiter("nonsense", Limit.slidingLog(5000, MINUTE), Limit.slidingWindow(5000, MINUTE, 600));
            limiter.decide("k", 1000);
            for (String entry :
                    List.of("'\\0\\0\\0\\0\\0\\0\\248\\127'", "struct.pack('<d', (i * 7919 % 1000) * 1e13)")) {
                edit("1L", "for i = 1, 900 do redis.call('SETRANGE', KEYS[1], 49 + i * 8, " + entry + ") end");
                assertThat(usage(limiter).get(0).spans()).hasSizeLessThanOrEqualTo(KeyUsage.MAX_SPANS);
            }
            edit(
                    "1W",
                    "redis.call('SETRANGE', KEYS[1], 9, struct.pack('<d', 1e300))"
                            + " redis.call('SETRANGE', KEYS[1], 33, string.rep('\\0', 8 * 601))");
            assertThat(usage(limiter).get(1).used()).isZero();
            assertThat(real.counters().timeouts()).isZero();
        }
    }

    private static void edit(String identity, String script) {
        String state = server.keys().stream()
                .filter(key -> key.contains("{nonsense:") && key.contains("}:" + identity))
                .findFirst()
                .orElseThrow();
        server.command("EVAL", script, "1", state);
    }

    @Test
    void failsIfRedisDoesNotAnswer() {
        RedisServer gone = RedisServer.start();
        try (RedisStore real = RedisStore.builder()
                .url(gone.url())
                .timeout(Duration.ofMillis(200))
                .onFailure(OnFailure.ALLOW)
                .build()) {
            Limiter limiter = real.limiter("gone", Limit.slidingLog(5, MINUTE));
            limiter.decide("k");
            gone.close();
            assertThatThrownBy(() -> limiter.usageAsync("k").join())
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("Redis did not answer");
        }
    }
}
