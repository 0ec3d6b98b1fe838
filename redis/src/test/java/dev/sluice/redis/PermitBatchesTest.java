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
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permits fetched in batches: what several processes may spend, and what they must not. */
@Timeout(60)
@Tag("full")
class PermitBatchesTest {
    private static final int NODES = 4;
    private static RedisServer server;
    private final List<RedisStore> nodes = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() {
        nodes.forEach(RedisStore::close);
    }

    private Limiter node(String name, int percent, Limit limit) {
        RedisStore store = RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(5))
                .onFailure(OnFailure.DENY)
                .build();
        nodes.add(store);
        return store.limiterBuilder(name, limit).batched(percent).build();
    }

    @Test
    void severalNodesTogetherSpendNoMoreThanWasCharged() throws Exception {
        long limit = 5000;
        LongAdder admitted = new LongAdder();
        all(NODES, "sum", 10, Limit.fixedWindow(limit, ofMinutes(60)), limiter -> {
            for (int i = 0; i < 4000; i++) {
                if (limiter.tryAcquire("hot")) {
                    admitted.increment();
                }
            }
        });
        assertThat(admitted.sum()).isLessThanOrEqualTo(limit).isGreaterThan(limit / 2);
        assertThat(nodes.stream().mapToLong(node -> node.counters().asked()).sum())
                .isLessThan(admitted.sum());
    }

    /** Who waits for a batch has waited for Redis: when it does not come, nobody asks again. */
    @Test
    void whileRedisIsFrozenOneAsksForAll() {
        try (RedisServer own = RedisServer.start();
                RedisStore store = RedisStore.builder()
                        .url(own.url())
                        .onFailure(OnFailure.LOCAL)
                        .build()) {
            Limiter hot = store.limiterBuilder("hot", Limit.fixedWindow(1000, ofMinutes(60)))
                    .batched(1)
                    .build();
            makeHot(hot);
            long asked = store.counters().asked();
            own.pause();
            List<CompletableFuture<Decision>> calls = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                calls.add(hot.decideAsync("k", 20));
            }
            assertThat(calls).allMatch(call -> call.join().allowed());
            assertThat(store.counters().asked() - asked)
                    .as("one asks, and an old batch may be refunded")
                    .isBetween(1L, 2L);
        }
    }

    /** Three lone calls without a reply would have opened the breaker, and so do three that wait for one batch. */
    @Test
    void aSilentServerIsNoticedByAllWhoWaitForABatch() {
        try (RedisServer own = RedisServer.start();
                RedisStore store = RedisStore.builder()
                        .url(own.url())
                        .timeout(ofSeconds(1))
                        .onFailure(OnFailure.DENY)
                        .build()) {
            Limiter hot = store.limiterBuilder("hot", Limit.fixedWindow(1000, ofMinutes(60)))
                    .batched(1)
                    .build();
            makeHot(hot);
            own.pause();
            List<CompletableFuture<Decision>> calls = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                calls.add(hot.decideAsync("k", 20));
            }
            assertThat(calls).noneMatch(call -> call.join().allowed());
            assertThat(store.counters().open()).as(store.counters().toString()).isTrue();
        }
    }

    @Test
    void overAnyPeriodAFleetSpendsAtMostItsBatchesMoreThanTheLimit() throws Exception {
        long limit = 400;
        long batch = limit / 10;
        long periodNanos = ofMillis(500).toNanos();
        ConcurrentLinkedQueue<Long> spentAt = new ConcurrentLinkedQueue<>();
        long end = System.nanoTime() + ofSeconds(3).toNanos();
        all(NODES, "any", 10, Limit.slidingLog(limit, ofMillis(500)), limiter -> {
            while (System.nanoTime() < end) {
                long before = System.nanoTime();
                if (limiter.tryAcquire("hot")) {
                    spentAt.add(before);
                }
            }
        });
        long[] times = spentAt.stream().mapToLong(Long::longValue).sorted().toArray();
        // a call that is held up between its two ends may count for either period: leave that much at the edges
        long slack = ofMillis(50).toNanos();
        int most = 0;
        for (int from = 0, to = 0; to < times.length; to++) {
            while (times[to] - times[from] >= periodNanos - slack) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        assertThat(times.length).isGreaterThan((int) limit);
        assertThat((long) most).isLessThanOrEqualTo(limit + NODES * batch);
    }

    @Test
    void whatIsNotSpentIsGivenBack() {
        Limiter batched = node("back", 50, Limit.fixedWindow(1000, ofMinutes(60)));
        for (int i = 0; i < 100; i++) {
            batched.tryAcquire("hot");
        }
        Limiter plain = nodes.get(0).limiter("back", Limit.fixedWindow(1000, ofMinutes(60)));
        Eventually.holds(
                "only what was spent is charged",
                ofSeconds(20),
                () -> plain.peek("hot", 0).remaining() == 900);
    }

    @Test
    void whatIsNotSpentIsGivenBackAtClose() {
        Limit limit = Limit.fixedWindow(1000, ofMinutes(60));
        Limiter plain = node("closed", 50, limit);
        try (RedisStore closing = RedisStore.connect(server.url())) {
            makeHot(closing.limiterBuilder("closed", limit).batched().build());
            assertThat(plain.peek("k", 0).remaining()).isLessThan(1000 - 2 * PermitBatches.HOT_CALLS);
        }
        assertThat(plain.peek("k", 0).remaining()).isEqualTo(1000 - 2 * PermitBatches.HOT_CALLS);
    }

    private static void makeHot(Limiter limiter) {
        for (int i = 0; i < 2 * PermitBatches.HOT_CALLS; i++) {
            assertThat(limiter.tryAcquire("k")).isTrue();
        }
    }

    @Test
    void aColdKeyCostsOneCall() {
        Limiter batched = node("cold", 50, Limit.fixedWindow(10, ofMinutes(60)));
        Limiter plain = nodes.get(0).limiter("cold", Limit.fixedWindow(10, ofMinutes(60)));
        for (int i = 0; i < 50; i++) {
            plain.decide("k" + i, 9);
        }
        long asked = nodes.get(0).counters().asked();
        for (int i = 0; i < 50; i++) {
            assertThat(batched.decide("k" + i).allowed()).isTrue();
        }
        assertThat(nodes.get(0).counters().asked() - asked).isEqualTo(50);
    }

    /** The last permits are fewer than a batch, and than those who wait ask for together. */
    @Test
    void whatIsThereIsGrantedToTheLastPermit() {
        int limit = 1000;
        Limiter batched = node("last", 50, Limit.fixedWindow(limit, ofMinutes(60)));
        int allowed = 0;
        List<CompletableFuture<Decision>> calls = new ArrayList<>();
        for (int i = 0; i < 3 * limit; i++) {
            calls.add(batched.decideAsync("k", 1 + i % 3));
        }
        long spent = 0;
        for (CompletableFuture<Decision> call : calls) {
            Decision decision = call.join();
            spent += decision.allowed() ? decision.permits() : 0;
            allowed += decision.allowed() ? 1 : 0;
        }
        assertThat(spent).isLessThanOrEqualTo(limit).isGreaterThan(limit / 2);
        assertThat(allowed).isPositive();
        Limiter plain = nodes.get(0).limiter("last", Limit.fixedWindow(limit, ofMinutes(60)));
        long kept = limit - spent;
        Eventually.holds(
                "what was not spent is there",
                ofSeconds(20),
                () -> plain.peek("k", 0).remaining() == kept);
    }

    @Test
    void thePermitsInBatchesAreABoundedNumber() {
        Limiter batched = node("bound", 10, Limit.fixedWindow(10_000, ofMinutes(60)));
        long most = 0;
        for (int i = 0; i < 3000; i++) {
            batched.tryAcquire("k");
            RedisCounters counters = nodes.get(0).counters();
            assertThat(counters.permitsInBatches()).isLessThanOrEqualTo(counters.maxPermitsInBatches());
            assertThat(counters.maxPermitsInBatches()).isLessThanOrEqualTo(1000);
            most = Math.max(most, counters.permitsInBatches());
        }
        assertThat(most).isPositive();
        Eventually.holds(
                "all is given back",
                ofSeconds(20),
                () -> nodes.get(0).counters().permitsInBatches() == 0);
    }

    @Test
    void aRequestThatCannotBeGrantedNowMakesNoBatchLarger() {
        Limiter batched = node("denied", 1, Limit.fixedWindow(100, ofMinutes(60)));
        makeHot(batched);
        assertBatchIsBoundedAfter(batched, 3, 90);
    }

    @Test
    void requestsForMoreThanTheLimitTogetherMakeNoBatchLarger() {
        Limiter batched = node("together", 1, Limit.fixedWindow(100, ofMinutes(60)));
        makeHot(batched);
        batched.reset("k");
        assertBatchIsBoundedAfter(batched, 3, 100);
    }

    /** Two requests wait for one call; the first can be granted, and both together cannot. */
    private void assertBatchIsBoundedAfter(Limiter batched, long first, long second) {
        RedisStore store = nodes.get(0);
        server.pause();
        CompletableFuture<Decision> never = batched.decideAsync("k", 101); // the others wait for its reply
        CompletableFuture<Decision> granted = batched.decideAsync("k", first);
        CompletableFuture<RedisCounters> then = batched.decideAsync("k", second).thenApply(denied -> {
            assertThat(denied.allowed()).isFalse();
            return store.counters();
        });
        server.resume();
        assertThat(never.join().allowed()).isFalse();
        assertThat(granted.join().allowed()).isTrue();
        assertThat(then.join().permitsInBatches())
                .isLessThanOrEqualTo(then.join().maxPermitsInBatches());
    }

    /** Redis answers after longer than a key stays hot that nobody asks for. */
    @Test
    void aBatchThatComesLateIsGivenBack() throws Exception {
        Limit limit = Limit.fixedWindow(1000, ofMinutes(60));
        Limiter batched = node("late", 1, limit);
        RedisStore store = nodes.get(0);
        makeHot(batched);
        Eventually.holds(
                "no batch is open", ofSeconds(20), () -> store.counters().permitsInBatches() == 0);
        server.pause();
        CompletableFuture<Decision> call = batched.decideAsync("k", 1);
        TimeUnit.NANOSECONDS.sleep(PermitBatches.FORGET_NANOS + 5 * PermitBatches.MAX_AGE_NANOS);
        server.resume();
        assertThat(call.join().allowed()).isTrue();
        Limiter plain = store.limiter("late", limit);
        long spent = 2 * PermitBatches.HOT_CALLS + 1;
        Eventually.holds(
                "only what was spent is charged",
                ofSeconds(10),
                () -> plain.peek("k", 0).remaining() == 1000 - spent,
                () -> "remaining " + plain.peek("k", 0).remaining());
    }

    /** Somebody may have found the key just before it is forgotten. */
    @Test
    void aKeyThatIsForgottenTakesNothingAndKeepsNothing() {
        Limit limit = Limit.fixedWindow(1000, ofMinutes(60));
        Limiter plain = node("forgotten", 1, limit).withShare(100);
        RedisLimiterCore core = ((RedisLimiter) plain).core();
        PermitBatches batches = new PermitBatches(core.calls(), nodes.get(0).setup(), 0.01, core::refund);
        BatchedKey key = new BatchedKey(batches, "k");
        server.pause();
        CompletableFuture<Decision> call = Objects.requireNonNull(key.take(1));
        assertThat(key.forgetIfIdle(System.nanoTime() + 1, 0))
                .as("forgotten during a call")
                .isFalse();
        server.resume();
        assertThat(call.join().allowed()).isTrue();
        Eventually.holds("it is idle", ofSeconds(20), () -> key.forgetIfIdle(System.nanoTime() + 1, 0));
        assertThat(key.unspent()).isZero();
        assertThat(key.take(1)).isNull();
        Eventually.holds(
                "only what was spent is charged",
                ofSeconds(20),
                () -> core.calls().peek("k", 0, 100).join().remaining() == 999);
    }

    /** Redis answers after 200 ms, and the timeout is 250: nobody waits for a third call. */
    @Test
    void aRequestWaitsForTwoCallsAtMost() throws Exception {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = RedisStore.builder()
                        .url(proxy.url())
                        .timeout(ofMillis(250))
                        .build()) {
            proxy.delay(ofMillis(200));
            Limiter batched = store.limiterBuilder("slow", Limit.fixedWindow(1_000_000, ofMinutes(60)))
                    .batched(1)
                    .build();
            long end = System.nanoTime() + ofSeconds(4).toNanos();
            LongAccumulator longest = new LongAccumulator(Math::max, 0);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                Thread thread = new Thread(() -> {
                    while (System.nanoTime() < end) {
                        long before = System.nanoTime();
                        batched.decide("k", 100);
                        longest.accumulate(System.nanoTime() - before);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(Duration.ofNanos(longest.get()))
                    .as("the longest call, at twice the timeout and what a busy machine adds")
                    .isLessThan(ofMillis(800));
        }
    }

    private interface Traffic {
        void run(Limiter limiter);
    }

    private void all(int count, String name, int percent, Limit limit, Traffic traffic) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Limiter limiter = node(name, percent, limit);
            Thread thread = new Thread(() -> {
                traffic.run(limiter);
                done.countDown();
            });
            thread.start();
        }
        done.await();
    }
}
