package dev.sluice.redis;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisCluster;
import dev.sluice.redis.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds, and requests to several limiters, whose keys lie on different masters. */
@Timeout(120)
@Tag("slow")
class ClusterHoldsTest {
    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        cluster.awaitReady();
    }

    @AfterAll
    static void end() {
        cluster.close();
    }

    private static RedisStore store(Client client) {
        cluster.masters().forEach(master -> master.command("FLUSHALL"));
        return RedisStore.builder()
                .url(cluster.url())
                .client(client)
                .timeout(ofSeconds(5))
                .lease(ofSeconds(1))
                .onFailure(OnFailure.DENY)
                .build();
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void lostHoldsAreRestoredOnEveryMaster(Client client) {
        try (RedisStore store = store(client)) {
            Limiter limiter = store.limiter("lost", Limit.concurrency(1));
            List<Decision> held = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                held.add(limiter.decide("k" + i));
            }
            assertThat(held).allMatch(Decision::allowed);
            cluster.masters().forEach(master -> master.command("FLUSHALL"));
            Eventually.holds(
                    "all are held again", ofSeconds(30), () -> store.counters().holdsRestored() == 30);
            for (int i = 0; i < 30; i++) {
                assertThat(limiter.decide("k" + i).allowed()).isFalse();
                limiter.release("k" + i, held.get(i));
                assertThat(limiter.decide("k" + i).allowed()).isTrue();
            }
        }
    }

    /** One master stands still for a moment, while holds on all of them are released. */
    @ParameterizedTest
    @EnumSource(Client.class)
    void aReleaseThatAMasterDidNotConfirmIsMadeUpFor(Client client) {
        cluster.masters().forEach(master -> master.command("FLUSHALL"));
        try (RedisStore store = RedisStore.builder()
                .url(cluster.url())
                .client(client)
                .timeout(ofMillis(200))
                .lease(ofMinutes(5))
                .onFailure(OnFailure.DENY)
                .build()) {
            Limiter limiter = store.limiter("late", Limit.concurrency(1));
            for (int i = 0; i < 30; i++) {
                String key = "k" + i;
                Eventually.holds(
                        "Redis decides",
                        ofSeconds(10),
                        () -> limiter.peek(key, 1).source() == Decision.Source.REDIS);
            }
            List<Decision> held = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                held.add(limiter.decide("k" + i));
            }
            assertThat(held).allMatch(Decision::allowed);
            RedisServer frozen = cluster.masters().get(0);
            frozen.pause();
            for (int i = 0; i < 30; i++) {
                limiter.release("k" + i, held.get(i));
            }
            assertThat(store.counters().open()).isTrue();
            frozen.resume();
            for (int i = 0; i < 30; i++) {
                String key = "k" + i;
                Eventually.holds(
                        "it is free", ofSeconds(10), () -> limiter.peek(key, 1).allowed());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aFloodOfDeniedRequestsCostsRedisNothing(Client client) {
        try (RedisStore store = store(client)) {
            Limiter perUser = store.limiter("user", Limit.slidingLog(5, ofHours(1)));
            Limiter perIp = store.limiter("ip", Limit.fixedWindow(1, ofHours(1)));
            List<Charge> request = List.of(new Charge(perUser, "ann", 1), new Charge(perIp, "192.0.2.7", 1));
            assertThat(store.decideAll(request).join()).allMatch(Decision::allowed);
            assertThat(store.decideAll(request).join())
                    .extracting(Decision::allowed)
                    .containsExactly(true, false);
            long asked = store.counters().asked();
            for (int i = 0; i < 300; i++) {
                List<Decision> again = store.decideAll(request).join();
                assertThat(again).extracting(Decision::allowed).containsExactly(true, false);
                assertThat(again.get(0).remaining()).isEqualTo(4);
            }
            assertThat(store.counters().asked() - asked)
                    .as("five for each second that passes")
                    .isLessThanOrEqualTo(50);
            assertThat(perUser.peek("ann", 0).remaining()).isEqualTo(4);
        }
    }
}
