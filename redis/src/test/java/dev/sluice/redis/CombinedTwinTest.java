package dev.sluice.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.contract.Kinds;
import dev.sluice.redis.combine.Combiner;
import dev.sluice.redis.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that go together in one script are decided as if each came by itself, in their order. */
@Timeout(300)
@Tag("slow")
class CombinedTwinTest {
    private static final long START_MICROS = 1_700_000_000_000_000L;

    private static RedisServer server;
    private static TestClockStore store;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        store = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE);
    }

    @AfterAll
    static void stop() {
        assertThat(store.counters().deniedByPolicy()).isZero();
        store.close();
        server.close();
    }

    @Test
    @DisplayName("11. Twins: many requests at one instant, field by field")
    void manyRequestsAtOneInstant() {
        long requests = 0;
        long before = store.counters().calls();
        int rounds = Integer.getInteger("sluice.twins", 1000) / 2;
        for (int round = 0; round < rounds; round++) {
            requests += compare(new Random(round));
        }
        long scripts = store.counters().calls() - before;
        System.out.printf("combined twins: %,d requests in %,d scripts, 0 differences%n", requests, scripts);
        assertThat(scripts).as("scripts for %d requests", requests).isLessThan(requests / 2);
    }

    private static List<Limit> limits(Random random) {
        List<Limit> pool = new ArrayList<>(Kinds.rates(5 + random.nextInt(40), ofSeconds(1 + random.nextInt(3)))
                .toList());
        pool.addAll(Kinds.rates(1 + random.nextInt(200), ofMillis(500)).toList());
        pool.removeIf(limit -> limit instanceof Limit.FixedWindow window // asks again when a unit begins, out of order
                && window.alignment() instanceof Limit.Alignment.Calendar);
        pool.add(Limit.slidingLog(150 + random.nextInt(300), ofSeconds(1)));
        pool.add(Limit.concurrency(1 + random.nextInt(50)));
        List<Limit> limits = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            limits.add(pool.get(random.nextInt(pool.size())));
        }
        return limits;
    }

    private static int compare(Random random) {
        Limit[] limits = limits(random).toArray(Limit[]::new);
        AtomicLong nanos = new AtomicLong(START_MICROS * 1000);
        Limiter redis = store.limiter(nanos::get, limits);
        Limiter java = Limiter.local(nanos::get, limits);
        int requests = 0;
        for (int instant = 0; instant < 6; instant++) {
            nanos.addAndGet(1000L * random.nextInt(600_000));
            List<CompletableFuture<Decision>> asked = new ArrayList<>();
            List<Decision> expected = new ArrayList<>();
            int count = 1 + random.nextInt(Combiner.MAX_REQUESTS); // more may overtake each other
            for (int i = 0; i < count; i++) {
                String key = "k" + random.nextInt(3);
                long permits = random.nextInt(8) == 0 ? random.nextInt(60) : random.nextInt(4);
                int percent = random.nextInt(5) == 0 ? 50 : 100;
                asked.add(redis.withShare(percent).decideAsync(key, permits));
                expected.add(java.withShare(percent).decide(key, permits));
            }
            for (int i = 0; i < count; i++) {
                assertThat(answer(asked.get(i).join()))
                        .as("request %d at instant %d of %s", i, instant, List.of(limits))
                        .isEqualTo(answer(expected.get(i)));
            }
            requests += count;
        }
        return requests;
    }

    @Test
    @DisplayName("7. Split: alike requests that are charged in one step are told apart, and refunded one by one")
    void runsOfAlikeRequests() {
        int rounds = Integer.getInteger("sluice.twins", 1000) / 2;
        for (int round = 0; round < rounds; round++) {
            Random random = new Random(round);
            Limit[] limits =
                    limits(random).stream().filter(limit -> !limit.holds()).toArray(Limit[]::new);
            if (limits.length > 0) {
                compareRuns(random, limits);
            }
        }
    }

    private static void compareRuns(Random random, Limit... limits) {
        AtomicLong nanos = new AtomicLong(START_MICROS * 1000);
        Limiter redis = store.limiter(nanos::get, limits);
        Limiter java = Limiter.local(nanos::get, limits);
        for (int instant = 0; instant < 6; instant++) {
            nanos.addAndGet(1000L * random.nextInt(400_000));
            long permits = 1L + random.nextInt(3);
            List<CompletableFuture<Decision>> asked = new ArrayList<>();
            List<Decision> expected = new ArrayList<>();
            for (int i = random.nextInt(Combiner.MAX_REQUESTS); i >= 0; i--) {
                asked.add(redis.decideAsync("k", permits));
                expected.add(java.decide("k", permits));
            }
            for (int i = 0; i < asked.size(); i++) {
                assertThat(answer(asked.get(i).join()))
                        .as("request %d of %d at instant %d of %s", i, asked.size(), instant, List.of(limits))
                        .isEqualTo(answer(expected.get(i)));
            }
            for (int refunds = 0; refunds < 2; refunds++) {
                nanos.addAndGet(1000L * random.nextInt(50_000));
                int refunded = random.nextInt(asked.size());
                redis.refund("k", asked.get(refunded).join());
                java.refund("k", expected.get(refunded));
                assertThat(answer(redis.peek("k", 0)))
                        .as("after a refund of request %d at instant %d of %s", refunded, instant, List.of(limits))
                        .isEqualTo(answer(java.peek("k", 0)));
            }
        }
    }

    @Test
    @DisplayName("8. A clock that steps back admits no more and no less, in whatever order its requests are decided")
    void aClockThatStepsBack() {
        for (int round = 0; round < 50; round++) {
            Random random = new Random(round);
            Limit[] limits = limits(random).toArray(Limit[]::new);
            AtomicLong nanos = new AtomicLong(START_MICROS * 1000);
            Limiter redis = store.limiter(nanos::get, limits);
            Limiter java = Limiter.local(nanos::get, limits);
            for (int instant = 0; instant < 8; instant++) {
                nanos.addAndGet(1000L * (random.nextInt(600_000) - 200_000));
                List<CompletableFuture<Decision>> asked = new ArrayList<>();
                long expected = 0;
                for (int i = random.nextInt(90); i >= 0; i--) {
                    asked.add(redis.decideAsync("k", 1));
                    expected += java.decide("k", 1).allowed() ? 1 : 0;
                }
                assertThat(asked.stream().filter(each -> each.join().allowed()).count())
                        .as("admitted of %d at instant %d of %s", asked.size(), instant, List.of(limits))
                        .isEqualTo(expected);
            }
        }
    }

    private static List<Object> answer(Decision d) {
        return List.of(
                d.outcome(),
                d.permits(),
                d.limit(),
                d.remaining(),
                d.retryAfterMicros(),
                d.resetAfterMicros(),
                d.delayMicros());
    }
}
