package dev.sluice.redis;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.Outcome;
import dev.sluice.redis.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests to several limiters: what they cost Redis, and what they do without it. */
@Timeout(60)
class JointRequestTest {
    private static RedisServer server;
    private RedisStore store;

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
                .timeout(ofSeconds(10))
                .onFailure(OnFailure.DENY)
                .build();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private List<Decision> decideAll(Charge... charges) {
        return store.decideAll(List.of(charges)).join();
    }

    @Test
    void aFloodOfDeniedRequestsCostsRedisNothing() {
        Limiter perUser = store.limiter("user", Limit.slidingLog(5, ofMinutes(10)));
        Limiter perIp = store.limiter("ip", Limit.fixedWindow(1, ofMinutes(10)));
        Charge[] request = {new Charge(perUser, "ann", 1), new Charge(perIp, "192.0.2.7", 1)};
        assertThat(decideAll(request)).allMatch(Decision::allowed);
        List<Decision> first = decideAll(request);
        long asked = store.counters().asked();
        for (int i = 0; i < 300; i++) {
            List<Decision> again = decideAll(request);
            assertThat(again).extracting(Decision::allowed).containsExactly(true, false);
            assertThat(again.get(0).remaining()).isEqualTo(4);
            assertThat(again.get(1).retryAfterMicros())
                    .isLessThanOrEqualTo(first.get(1).retryAfterMicros());
        }
        assertThat(store.counters().asked() - asked)
                .as("of 300 requests ask Redis: one for each second that passes")
                .isLessThanOrEqualTo(30);
        assertThat(perUser.peek("ann", 0).remaining()).isEqualTo(4);
    }

    /** One address that tries many names. */
    @Test
    void neitherDoesAFloodThatVariesTheOtherKey() {
        Limiter perUser = store.limiter("user", Limit.slidingLog(5, ofMinutes(10)));
        Limiter perIp = store.limiter("ip", Limit.fixedWindow(1, ofMinutes(10)));
        decideAll(new Charge(perUser, "ann", 1), new Charge(perIp, "192.0.2.7", 1));
        decideAll(new Charge(perUser, "ann", 1), new Charge(perIp, "192.0.2.7", 1));
        long asked = store.counters().asked();
        for (int i = 0; i < 300; i++) {
            assertThat(decideAll(new Charge(perUser, "user" + i, 1), new Charge(perIp, "192.0.2.7", 1)))
                    .extracting(Decision::allowed)
                    .containsExactly(true, false);
        }
        assertThat(store.counters().asked() - asked).isLessThanOrEqualTo(30);
        assertThat(decideAll(new Charge(perUser, "user1", 1), new Charge(perIp, "192.0.2.8", 1)))
                .allMatch(Decision::allowed);
    }

    @Test
    void whatThisProcessGivesBackEndsAJointDenialToo() {
        Limiter one = store.limiter("one", Limit.slidingLog(5, ofMinutes(10)));
        Limiter other = store.limiter("other", Limit.fixedWindow(1, ofMinutes(10)));
        Charge[] request = {new Charge(one, "k", 1), new Charge(other, "k", 1)};
        List<Decision> taken = decideAll(request);
        assertThat(decideAll(request).get(1).allowed()).isFalse();
        other.refund("k", taken.get(1));
        assertThat(decideAll(request)).allMatch(Decision::allowed);
    }

    @Test
    void aShadowAndAListenerAreAskedInTheSameScript() {
        AtomicInteger heard = new AtomicInteger();
        Limiter shadow = store.limiterBuilder("shadow", Limit.fixedWindow(2, ofMinutes(10)))
                .shadow()
                .listener((key, decision) -> heard.incrementAndGet())
                .build();
        Limiter real = store.limiterBuilder("real", Limit.slidingLog(9, ofMinutes(10)))
                .listener((key, decision) -> heard.incrementAndGet())
                .build();
        Charge[] request = {new Charge(shadow, "k", 1), new Charge(real, "k", 1)};
        List<Outcome> outcomes = new ArrayList<>();
        long asked = store.counters().asked();
        for (int i = 0; i < 5; i++) {
            List<Decision> decisions = decideAll(request);
            outcomes.add(decisions.get(0).outcome());
            assertThat(decisions.get(1).outcome()).isEqualTo(Outcome.ALLOWED);
        }
        assertThat(outcomes)
                .containsExactly(
                        Outcome.ALLOWED, Outcome.ALLOWED, Outcome.SHADOWED, Outcome.SHADOWED, Outcome.SHADOWED);
        assertThat(store.counters().asked() - asked)
                .as("one for each request, and one more when the shadow denies for the first time in a second")
                .isBetween(5L, 7L);
        assertThat(heard).hasValue(10);
        assertThat(shadow.peek("k", 0).remaining()).isZero();
        assertThat(real.peek("k", 0).remaining()).isEqualTo(4);
    }

    @Test
    void aShadowIsNotChargedWhenAnotherDenies() {
        Limiter shadow = store.limiterBuilder("shadow", Limit.fixedWindow(5, ofMinutes(10)))
                .shadow()
                .build();
        Limiter real = store.limiter("real", Limit.slidingLog(1, ofMinutes(10)));
        Charge[] request = {new Charge(shadow, "k", 1), new Charge(real, "k", 1)};
        assertThat(decideAll(request)).allMatch(Decision::allowed);
        for (int i = 0; i < 10; i++) {
            assertThat(decideAll(request).get(1).allowed()).isFalse();
        }
        assertThat(shadow.peek("k", 0).remaining()).isEqualTo(4);
    }

    /** What one limiter takes while another denies would be seen by the threads that ask it alone. */
    @Test
    void withoutRedisAllAreChargedInOneStepToo() throws Exception {
        try (RedisStore dead = RedisStore.builder().url("redis://127.0.0.1:1").build()) {
            Limiter free = dead.limiter("free", Limit.fixedWindow(1, ofMinutes(10)));
            Limiter used = dead.limiter("used", Limit.fixedWindow(1, ofMinutes(10)));
            used.decide("k");
            List<Charge> denied = List.of(new Charge(free, "k", 1), new Charge(used, "k", 1));
            Thread flood = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    dead.decideAll(denied).join();
                }
            });
            flood.start();
            int wrong = 0;
            for (int i = 0; i < 20_000; i++) {
                wrong += free.peek("k", 1).allowed() ? 0 : 1;
            }
            flood.interrupt();
            flood.join();
            assertThat(wrong)
                    .as("times that a permit was taken by a request that was denied")
                    .isZero();
            assertThat(free.peek("k", 0).remaining()).isEqualTo(1);
        }
    }

    @Test
    void withoutRedisAShadowDeniesNothing() {
        try (RedisStore dead = RedisStore.builder().url("redis://127.0.0.1:1").build()) {
            Limiter shadow = dead.limiterBuilder("shadow", Limit.fixedWindow(1, ofMinutes(10)))
                    .shadow()
                    .build();
            Limiter real = dead.limiter("real", Limit.fixedWindow(3, ofMinutes(10)));
            List<Charge> request = List.of(new Charge(shadow, "k", 1), new Charge(real, "k", 1));
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                dead.decideAll(request).join().forEach(decision -> outcomes.add(decision.outcome()));
            }
            assertThat(outcomes)
                    .containsExactly(
                            Outcome.ALLOWED,
                            Outcome.ALLOWED,
                            Outcome.SHADOWED,
                            Outcome.ALLOWED,
                            Outcome.SHADOWED,
                            Outcome.ALLOWED,
                            Outcome.SHADOWED,
                            Outcome.DENIED);
        }
    }
}
