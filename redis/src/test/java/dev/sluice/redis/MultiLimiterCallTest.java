package dev.sluice.redis;

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
import dev.sluice.Outcome;
import dev.sluice.Store;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One request that asks several limiters. */
@Tag("slow")
@Timeout(60)
class MultiLimiterCallTest {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void areAskedInOneRoundTripAllOrNothing() {
        try (RedisStore store = patient(OnFailure.DENY)) {
            Limiter perUser = store.limiter("user", Limit.slidingLog(5, ofMinutes(10)));
            Limiter perIp =
                    store.limiter("ip", Limit.tokenBucket(2, ofMinutes(10)), Limit.fixedWindow(9, ofMinutes(10)));
            List<Charge> charges = List.of(new Charge(perUser, "ann", 1), new Charge(perIp, "192.0.2.7", 1));
            assertThat(store.decideAll(charges).join()).allMatch(Decision::allowed);
            assertThat(store.decideAll(charges).join()).allMatch(Decision::allowed);
            assertThat(store.decideAll(charges).join())
                    .extracting(Decision::allowed)
                    .containsExactly(true, false);
            assertThat(store.counters().asked()).isEqualTo(3);
            assertThat(perUser.peek("ann", 0).remaining()).isEqualTo(3);
        }
    }

    @Test
    void whatWasTakenTogetherIsGivenBackOneByOne() {
        try (RedisStore store = patient(OnFailure.DENY)) {
            Limiter one = store.limiter("one", Limit.slidingWindow(5, ofMinutes(10)));
            Limiter other = store.limiter("other", Limit.concurrency(2));
            List<Decision> taken = store.decideAll(List.of(new Charge(one, "k", 2), new Charge(other, "k", 2)))
                    .join();
            assertThat(other.decide("k", 1).allowed()).isFalse();
            one.refund("k", taken.get(0));
            other.release("k", taken.get(1));
            assertThat(one.peek("k", 0).remaining()).isEqualTo(5);
            assertThat(other.peek("k", 0).remaining()).isEqualTo(2);
        }
    }

    @Test
    void limitersThatAreAskedOneAfterAnotherEndWithinTwiceTheTimeout() {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = RedisStore.builder()
                        .url(proxy.url())
                        .timeout(ofMillis(300))
                        .onFailure(OnFailure.DENY)
                        .build()) {
            List<Charge> charges = new ArrayList<>();
            for (int i = 1; i <= 12; i++) {
                charges.add(new Charge(store.limiter("slow" + i, Limit.fixedWindow(100, ofMinutes(10))), "k", i));
            }
            assertThat(store.decideAll(charges).join()).allMatch(Decision::allowed);
            proxy.delay(ofMillis(240));
            long start = System.nanoTime();
            List<Decision> decisions = store.decideAll(charges).join();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ofMillis(2 * 300 + 1000));
            assertThat(decisions).hasSize(12).noneMatch(Decision::allowed);
            proxy.deliverAll();
            Eventually.holds(
                    "what was taken is given back",
                    ofSeconds(20),
                    () -> charges.stream()
                            .allMatch(charge -> charge.limiter().peek("k", 0).remaining() == 100 - charge.permits()));
        }
    }

    /** One denies when the time is nearly over: nobody waits for the refunds, nor for how the others stand. */
    @Test
    void aLateDenialIsTheLastCall() {
        Duration timeout = ofSeconds(2);
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore store = RedisStore.builder()
                        .url(proxy.url())
                        .timeout(timeout)
                        .onFailure(OnFailure.DENY)
                        .build()) {
            Limiter open = store.limiter("late-open", Limit.fixedWindow(100, ofMinutes(10)));
            Limiter shut = store.limiter("late-shut", Limit.slidingWindow(3, ofMinutes(10)));
            shut.decide("k", 2);
            assertThat(open.peek("k", 0).remaining()).isEqualTo(100);
            proxy.delay(ofMillis(1800));
            long start = System.nanoTime();
            List<Decision> decisions = store.decideAll(
                            List.of(new Charge(open, "k", 1), new Charge(shut, "k", 2), new Charge(open, "l", 3)))
                    .join();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(timeout.multipliedBy(2).plusSeconds(1));
            assertThat(decisions).extracting(Decision::allowed).containsExactly(true, false, true);
            proxy.deliverAll();
            Eventually.holds(
                    "what was taken is given back",
                    ofSeconds(20),
                    () -> open.peek("k", 0).remaining() == 100);
        }
    }

    @Test
    void theSameCounterTwiceIsChargedTwice() {
        try (RedisStore store = patient(OnFailure.DENY)) {
            Limiter limiter = store.limiter("twice", Limit.fixedWindow(5, ofMinutes(10)));
            store.decideAll(List.of(new Charge(limiter, "k", 1), new Charge(limiter.withShare(50), "k", 1)))
                    .join();
            assertThat(limiter.peek("k", 0).remaining()).isEqualTo(3);
        }
    }

    /** Law 11 for several limiters: Redis in one script, memory one after another, the same answers. */
    @Test
    void decideAsInMemory() {
        Limit[][] limits = {
            {Limit.tokenBucket(3, ofMillis(7))},
            {
                Limit.slidingLog(4, ofMillis(10)),
                Limit.fixedWindow(6, ofMillis(30)).aligned()
            },
            {Limit.slidingWindow(5, ofMillis(12), 4)},
            {Limit.fixedWindow(7, ChronoUnit.MINUTES, ZoneOffset.UTC)},
        };
        int[] shares = {100, 60, 100, 100};
        long[] nanos = {1_700_000_000_000_000_000L};
        int steps = 3000;
        Random random = new Random(11);
        server.command("FLUSHALL");
        try (TestClockStore redis = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE);
                Store memory = Store.local(() -> nanos[0])) {
            List<Limiter> onRedis = new ArrayList<>();
            List<Limiter> inMemory = new ArrayList<>();
            for (int i = 0; i < limits.length; i++) {
                onRedis.add(redis.limiter(() -> nanos[0], limits[i]).withShare(shares[i]));
                inMemory.add(memory.limiter("m" + i, limits[i]).withShare(shares[i]));
            }
            for (int step = 0; step < steps; step++) {
                nanos[0] += random.nextInt(4) == 0 ? 0L : random.nextInt(4_000_000);
                long permits = 1L + random.nextInt(2);
                int mask = 1 + random.nextInt((1 << limits.length) - 1);
                String key = "k" + random.nextInt(2);
                List<Decision> there = redis.decideAll(charges(onRedis, mask, key, permits));
                List<Decision> here =
                        memory.decideAll(charges(inMemory, mask, key, permits)).join();
                assertThat(summary(there))
                        .as("step %d, limiters %x", step, mask)
                        .isEqualTo(summary(here));
            }
        }
    }

    /** The same for requests that charge a counter twice or three times. */
    @Test
    void decideOnOneCounterTwiceAsInMemory() {
        Limit[][] limits = {
            {Limit.tokenBucket(3, ofMillis(7)).burst(5)},
            {
                Limit.slidingLog(4, ofMillis(10)),
                Limit.fixedWindow(6, ofMillis(30)).aligned()
            },
            {Limit.slidingWindow(5, ofMillis(12), 4)},
            {Limit.leakyBucket(4, ofMillis(9))},
            {Limit.concurrency(5)},
        };
        long[] nanos = {1_700_000_000_000_000_000L};
        Random random = new Random(13);
        server.command("FLUSHALL");
        try (TestClockStore redis = new TestClockStore(server.url(), RedisStoreBuilder.Client.LETTUCE);
                Store memory = Store.local(() -> nanos[0])) {
            List<Limiter> onRedis = new ArrayList<>();
            List<Limiter> inMemory = new ArrayList<>();
            for (int i = 0; i < limits.length; i++) {
                onRedis.add(redis.limiter(() -> nanos[0], limits[i]));
                inMemory.add(memory.limiter("m" + i, limits[i]));
            }
            for (int step = 0; step < 1500; step++) {
                nanos[0] += random.nextInt(4) == 0 ? 0L : random.nextInt(4_000_000);
                List<Charge> there = new ArrayList<>();
                List<Charge> here = new ArrayList<>();
                int first = random.nextInt(limits.length);
                for (int i = 2 + random.nextInt(3); i > 0; i--) {
                    int limiter = random.nextInt(3) == 0 ? random.nextInt(limits.length) : first;
                    int share = random.nextInt(4) == 0 ? 60 : 100;
                    long permits = random.nextInt(12) == 0 ? Long.MAX_VALUE : random.nextInt(4);
                    there.add(new Charge(onRedis.get(limiter).withShare(share), "k", permits));
                    here.add(new Charge(inMemory.get(limiter).withShare(share), "k", permits));
                }
                List<Decision> decidedHere = memory.decideAll(here).join();
                List<Decision> decidedThere = redis.decideAll(there);
                assertThat(summary(decidedThere)).as("step %d, %s", step, here).isEqualTo(summary(decidedHere));
                for (int i = 0; i < there.size() && decidedHere.stream().allMatch(Decision::allowed); i++) {
                    there.get(i).limiter().release("k", decidedThere.get(i));
                    here.get(i).limiter().release("k", decidedHere.get(i));
                }
            }
        }
    }

    @Test
    void oneCounterTwiceIsToldOfTheWholeRequest() {
        try (RedisStore store = patient(OnFailure.DENY)) {
            Limiter limiter = store.limiter("whole", Limit.fixedWindow(3, ofMinutes(10)));
            List<Charge> never = List.of(new Charge(limiter, "k", 2), new Charge(limiter, "k", 2));
            for (int i = 0; i < 3; i++) {
                assertThat(store.decideAll(never).join())
                        .extracting(Decision::outcome)
                        .containsExactly(Outcome.ALLOWED, Outcome.NEVER);
            }
            assertThat(limiter.decide("k", 2).allowed())
                    .as("what was denied together is not denied alone")
                    .isTrue();
        }
    }

    @Test
    void eachFollowsItsPolicyWhileRedisIsFrozen() {
        try (RedisServer own = RedisServer.start();
                RedisStore store = RedisStore.builder().url(own.url()).build()) {
            Limiter local = store.limiter("local", OnFailure.LOCAL, Limit.fixedWindow(2, ofMinutes(1)));
            Limiter allow = store.limiter("allow", OnFailure.ALLOW, Limit.fixedWindow(1, ofMinutes(1)));
            Limiter deny = store.limiter("deny", OnFailure.DENY, Limit.fixedWindow(9, ofMinutes(1)));
            own.pause();
            List<Charge> soft = List.of(new Charge(local, "k", 1), new Charge(allow, "k", 1));
            assertThat(store.decideAll(soft).join()).allMatch(Decision::allowed);
            List<Charge> hard = List.of(new Charge(local, "k", 1), new Charge(deny, "k", 1), new Charge(allow, "k", 1));
            assertThat(store.decideAll(hard).join())
                    .extracting(Decision::allowed)
                    .containsExactly(true, false, true);
            assertThat(store.decideAll(soft).join()).allMatch(Decision::allowed); // the denied one took nothing
            assertThat(store.decideAll(soft).join())
                    .extracting(Decision::allowed)
                    .containsExactly(false, true);
        }
    }

    @Test
    void aLimiterOfAnotherStoreIsRefusedBeforeAnythingIsTaken() {
        try (RedisStore one = patient(OnFailure.LOCAL);
                RedisStore other = patient(OnFailure.LOCAL)) {
            Limiter own = one.limiter("own", Limit.fixedWindow(5, ofSeconds(60)));
            Limiter foreign = other.limiter("foreign", Limit.fixedWindow(5, ofSeconds(60)));
            List<Charge> charges = List.of(new Charge(own, "k", 1), new Charge(foreign, "k", 1));
            assertThatThrownBy(() -> one.decideAll(charges))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("foreign")
                    .hasMessageContaining("not of this store");
            assertThat(own.peek("k", 0).remaining()).isEqualTo(5);
        }
    }

    private static RedisStore patient(OnFailure onFailure) {
        return RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(10))
                .onFailure(onFailure)
                .build();
    }

    private static List<Charge> charges(List<Limiter> limiters, int mask, String key, long permits) {
        List<Charge> charges = new ArrayList<>();
        for (int i = 0; i < limiters.size(); i++) {
            if ((mask & 1 << i) != 0) {
                charges.add(new Charge(limiters.get(i), key, permits));
            }
        }
        return charges;
    }

    private static List<String> summary(List<Decision> decisions) {
        return decisions.stream()
                .map(each ->
                        each.outcome() + " " + each.permits() + " of " + each.limit() + ", left " + each.remaining()
                                + ", again in " + each.retryAfterMicros() + ", fresh in " + each.resetAfterMicros())
                .toList();
    }
}
