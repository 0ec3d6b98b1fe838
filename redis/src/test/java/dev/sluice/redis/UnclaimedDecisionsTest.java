package dev.sluice.redis;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A future whose owner completes it while Redis decides takes nothing, with or without a wait. */
@Timeout(60)
@Tag("slow")
class UnclaimedDecisionsTest {
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
                .lease(ofMinutes(5))
                .onFailure(OnFailure.DENY)
                .build();
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** One of several requests that Redis decides together is cancelled before they are. */
    private void cancelOne(Limiter limiter, Function<Limiter, CompletableFuture<?>> request) {
        assertThat(limiter.peek("k", 0).remaining()).isEqualTo(10);
        List<CompletableFuture<?>> asked = new ArrayList<>();
        server.pause();
        try {
            for (int i = 0; i < 4; i++) {
                asked.add(request.apply(limiter));
            }
            assertThat(asked).noneMatch(CompletableFuture::isDone);
            asked.get(0).cancel(false);
            asked.get(2).cancel(false);
        } finally {
            server.resume();
        }
        asked.get(1).join();
        asked.get(3).join();
        Eventually.holds(
                "two are taken",
                ofSeconds(10),
                () -> limiter.peek("k", 0).perLimit().get(0).remaining() == 8);
    }

    private Limiter rate() {
        return store.limiter("rate", Limit.fixedWindow(10, ofMinutes(10)));
    }

    private Limiter holds() {
        return store.limiter("holds", Limit.concurrency(10));
    }

    @Test
    void decisions() {
        cancelOne(rate(), limiter -> limiter.decideAsync("k", 1));
    }

    @Test
    void decisionsThatHold() {
        cancelOne(holds(), limiter -> limiter.decideAsync("k", 1));
    }

    @Test
    void holdsThatAreNotWaitedFor() {
        cancelOne(holds(), limiter -> limiter.holdAsync("k", 1, Duration.ZERO));
    }

    @Test
    void waits() {
        cancelOne(holds(), limiter -> limiter.acquireAsync("k", 1, ofSeconds(20)));
    }

    @Test
    void batches() {
        Limiter limiter = store.limiterBuilder("batched", Limit.fixedWindow(10, ofMinutes(10)))
                .batched(10)
                .build();
        cancelOne(limiter, each -> each.decideAsync("k", 1));
    }

    @Test
    void aListenerHearsNothingOfThem() {
        List<Decision> heard = new CopyOnWriteArrayList<>();
        Limiter limiter = store.limiterBuilder("heard", Limit.concurrency(10))
                .listener((key, decision) -> heard.add(decision))
                .build();
        cancelOne(limiter, each -> each.decideAsync("k", 1));
        assertThat(heard).hasSize(2);
    }

    @Test
    void severalLimiters() {
        Limiter rate = rate();
        cancelOne(holds(), limiter -> store.decideAll(List.of(new Charge(rate, "k", 1), new Charge(limiter, "k", 1))));
        assertThat(rate.peek("k", 0).remaining()).isEqualTo(8);
    }

    @Test
    void severalLimitersOneAfterAnother() {
        Limiter rate = rate();
        cancelOne(holds(), limiter -> store.decideAll(List.of(new Charge(rate, "k", 2), new Charge(limiter, "k", 1))));
        assertThat(rate.peek("k", 0).remaining()).isEqualTo(6);
    }

    /** What was taken in this process while Redis does not answer is given back as well. */
    @Test
    void whatTheFailurePolicyDecides() {
        try (RedisStore local = RedisStore.builder()
                .url(server.url())
                .timeout(ofSeconds(1))
                .onFailure(OnFailure.LOCAL)
                .build()) {
            Limiter limiter = local.limiter("local", Limit.concurrency(1));
            assertThat(limiter.peek("k", 1).source()).isEqualTo(Decision.Source.REDIS);
            server.pause();
            try {
                limiter.decideAsync("k", 1).cancel(false);
                Eventually.holds(
                        "the policy has decided",
                        ofSeconds(10),
                        () -> local.counters().decidedLocally() == 1);
                Eventually.holds(
                        "it is free", ofSeconds(10), () -> limiter.decide("k").allowed());
            } finally {
                server.resume();
            }
        }
    }
}
