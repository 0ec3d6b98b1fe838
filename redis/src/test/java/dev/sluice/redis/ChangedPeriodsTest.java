package dev.sluice.redis;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What was used stays used, however often the period of a limit changes. */
@Tag("slow")
@Timeout(120)
class ChangedPeriodsTest {
    private static final long PERMITS = 60;
    private static final List<Duration> PERIODS = List.of(ofSeconds(10), ofSeconds(20), ofSeconds(30), ofSeconds(60));
    private static final List<String> KEYS = List.of("a", "b", "c");

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.command("FLUSHALL");
    }

    static Stream<Arguments> kinds() {
        return Stream.of(
                kind("fixed window", period -> Limit.fixedWindow(PERMITS, period)),
                kind(
                        "aligned window",
                        period -> Limit.fixedWindow(PERMITS, period).aligned()),
                kind("sliding window", period -> Limit.slidingWindow(PERMITS, period, 10)),
                kind("sliding log", period -> Limit.slidingLog(PERMITS, period)),
                kind("token bucket", period -> Limit.tokenBucket(PERMITS, period)),
                kind("leaky bucket", period -> Limit.leakyBucket(PERMITS, period)));
    }

    private static Arguments kind(String name, Function<Duration, Limit> limit) {
        return Arguments.of(name, limit);
    }

    /** Requests and changes in any order, in a moment: the counts are those of one process in memory. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void countsAsInMemory(String name, Function<Duration, Limit> kind) {
        Random random = new Random(12);
        try (TestClockStore store = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE)) {
            for (int round = 0; round < 60; round++) {
                long[] nanos = {1_700_000_005_000_000_000L};
                Limiter onRedis = store.limiter(() -> nanos[0], kind.apply(PERIODS.get(0)));
                Limiter inMemory = Limiter.local(() -> nanos[0], kind.apply(PERIODS.get(0)));
                StringBuilder history = new StringBuilder(name);
                for (int step = 0; step < 20; step++) {
                    nanos[0] += 1000;
                    if (random.nextInt(3) == 0) {
                        Limit next = kind.apply(PERIODS.get(random.nextInt(PERIODS.size())));
                        history.append(", ").append(next.text());
                        onRedis.change(next);
                        inMemory.change(next);
                    } else {
                        String key = KEYS.get(random.nextInt(KEYS.size()));
                        int permits = 1 + random.nextInt(4);
                        history.append(", ").append(permits).append(" of ").append(key);
                        Decision there = onRedis.decide(key, permits);
                        assertThat(there.remaining())
                                .as(history.toString())
                                .isEqualTo(inMemory.decide(key, permits).remaining());
                    }
                }
            }
        }
    }

    /** All but windows, whose end on a clock of its own is not that of their key. */
    static Stream<Arguments> continuous() {
        return kinds().filter(arguments -> !arguments.get()[0].toString().matches("(fixed|aligned) window"));
    }

    /** A copy is made once: the counts that it was made of, which last longer, do not return. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("continuous")
    void whatComesBackAfterAChangeBackStaysBack(String name, Function<Duration, Limit> kind) {
        long[] nanos = {1_700_000_005_000_000_000L};
        try (TestClockStore store = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE)) {
            Limiter onRedis = store.limiter(() -> nanos[0], kind.apply(ofSeconds(10)));
            Limiter inMemory = Limiter.local(() -> nanos[0], kind.apply(ofSeconds(10)));
            for (Limiter limiter : List.of(onRedis, inMemory)) {
                limiter.decide("k", 20);
                limiter.change(kind.apply(ofSeconds(60)));
                nanos[0] += 1000;
                limiter.decide("k", 40);
                limiter.change(kind.apply(ofSeconds(10)));
                nanos[0] += 1000;
                assertThat(limiter.peek("k", 0).remaining()).isZero();
            }
            for (int half = 1; half <= 24; half++) {
                nanos[0] += 500_000_000;
                long expected = inMemory.peek("k", 0).remaining();
                assertThat(onRedis.peek("k", 0).remaining())
                        .as("%s, %d half seconds later", name, half)
                        .isBetween(expected - 1, expected);
            }
            assertThat(onRedis.peek("k", 0).remaining()).as(name).isEqualTo(PERMITS);
        }
    }

    /** What a process counted that kept its limit stays counted when another one comes back to that limit. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("continuous")
    void whoComesBackForgetsNothingOfWhoStayed(String name, Function<Duration, Limit> kind) {
        long[] nanos = {1_700_000_000_000_000_000L};
        try (TestClockStore store = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE)) {
            Limiter moving = store.limiter("stayed", () -> nanos[0], kind.apply(ofSeconds(10)));
            Limiter staying = store.limiter("stayed", () -> nanos[0], kind.apply(ofSeconds(10)));
            moving.decide("k", 1);
            moving.change(kind.apply(ofSeconds(20)));
            nanos[0] += ofSeconds(1).toNanos();
            moving.decide("k", 50);
            nanos[0] += ofSeconds(2).toNanos();
            assertThat(staying.decide("k", 40).allowed()).isTrue();
            nanos[0] += ofSeconds(1).toNanos();
            moving.decide("k", 1);
            moving.change(kind.apply(ofSeconds(10)));
            moving.peek("k", 0);
            nanos[0] += ofSeconds(8).toNanos();
            long left = staying.peek("k", 0).remaining();
            boolean isBucket = name.endsWith("bucket");
            assertThat(left).as(name).isLessThanOrEqualTo(isBucket ? PERMITS : PERMITS - 40);
        }
    }

    /** Law 15, where one process goes back and forth, and another one does not. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void aProcessThatGoesBackAndForthAdmitsNoMoreThanTheSum(String name, Function<Duration, Limit> kind) {
        long[] nanos = {1_700_000_005_000_000_000L};
        Random random = new Random(56);
        Deque<long[]> admitted = new ArrayDeque<>();
        long sum = 0;
        long most = 0;
        try (TestClockStore store = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE)) {
            Limiter moving = store.limiter("moving", () -> nanos[0], kind.apply(ofSeconds(10)));
            Limiter staying = store.limiter("moving", () -> nanos[0], kind.apply(ofSeconds(20)));
            for (int step = 0; step < 1500; step++) {
                nanos[0] += random.nextInt(400_000) * 1000L;
                if (random.nextInt(10) == 0) {
                    moving.change(kind.apply(ofSeconds(random.nextBoolean() ? 10 : 20)));
                }
                int permits = 1 + random.nextInt(20);
                Decision decision = (random.nextBoolean() ? moving : staying).decide("k", permits);
                if (decision.allowed()) {
                    admitted.add(new long[] {nanos[0], permits});
                    sum += permits;
                }
                while (!admitted.isEmpty()
                        && nanos[0] - admitted.getFirst()[0] >= ofSeconds(10).toNanos()) {
                    sum -= admitted.removeFirst()[1];
                }
                most = Math.max(most, sum);
            }
        }
        // a window and a bucket admit twice their permits within a period
        boolean isExact = name.startsWith("sliding");
        assertThat(most).as(name).isLessThanOrEqualTo(PERMITS * (isExact ? 2 : 4));
    }

    @Test
    void onARealClock() {
        try (RedisStore store = RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .onFailure(OnFailure.DENY)
                .build()) {
            kinds().forEach(arguments -> {
                @SuppressWarnings("unchecked")
                Function<Duration, Limit> kind =
                        (Function<Duration, Limit>) arguments.get()[1];
                Limiter limiter = store.limiter("real " + arguments.get()[0], kind.apply(ofHours(100)));
                limiter.decide("twice", 5);
                limiter.decide("back", 5);
                limiter.change(kind.apply(ofHours(200)));
                limiter.decide("back", 7);
                limiter.change(kind.apply(ofHours(400)));
                assertThat(limiter.peek("twice", 0).remaining())
                        .as(
                                "%s, two changes, no request between them",
                                arguments.get()[0])
                        .isEqualTo(PERMITS - 5);
                limiter.change(kind.apply(ofHours(100)));
                assertThat(limiter.peek("back", 0).remaining())
                        .as("%s, changed back", arguments.get()[0])
                        .isEqualTo(PERMITS - 12);
                limiter.reset("back");
                assertThat(limiter.peek("back", 0).remaining())
                        .as("%s, reset", arguments.get()[0])
                        .isEqualTo(PERMITS);
            });
            assertThat(store.counters().damagedStates()).isZero();
        }
    }
}
