package dev.sluice.redis.hold;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Holds that are released while Redis stands still, under a lease that does not end during a test. */
@Timeout(60)
@Tag("slow")
class UnconfirmedReleasesTest {
    private static final Duration TIMEOUT = ofMillis(500);

    private RedisServer server;
    private RedisStore store;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        store = connected(server.url());
    }

    @AfterEach
    void stop() {
        store.close();
        server.close();
    }

    private static RedisStore connected(String url) {
        return RedisStore.builder()
                .url(url)
                .timeout(TIMEOUT)
                .lease(ofMinutes(5))
                .onFailure(OnFailure.DENY)
                .build();
    }

    private Limiter limiter(String name, Limit... limits) {
        Limiter limiter = store.limiter(name, limits);
        Eventually.holds(
                "Redis decides", ofSeconds(10), () -> limiter.peek("other", 1).source() == Decision.Source.REDIS);
        return limiter;
    }

    private void openBreaker(Limiter limiter) {
        server.pause();
        Eventually.holds("the breaker is open", ofSeconds(10), () -> {
            limiter.decide("other");
            return store.counters().open();
        });
    }

    private static long free(Limiter limiter, String key) {
        Decision decision = limiter.peek(key, 0);
        return decision.source() == Decision.Source.REDIS
                ? decision.perLimit().get(0).remaining()
                : -1;
    }

    @Test
    void aReleaseWhileTheBreakerIsOpenIsMadeUpFor() {
        Limiter limiter = limiter("one", Limit.concurrency(1));
        Decision held = limiter.decide("k");
        assertThat(held.source()).isEqualTo(Decision.Source.REDIS);
        openBreaker(limiter);
        long began = System.nanoTime();
        limiter.release("k", held);
        assertThat(System.nanoTime() - began)
                .as("nobody waits for Redis")
                .isLessThan(TIMEOUT.multipliedBy(2).toNanos());
        server.resume();
        Eventually.holds("it is free", ofSeconds(10), () -> limiter.decide("k").allowed());
    }

    /** The rate stays taken, since a second refund might give back what others have taken. */
    @Test
    void aRefundOfAWholeHoldReleasesIt() {
        Limiter limiter = limiter("refund", Limit.concurrency(2), Limit.fixedWindow(10, ofMinutes(10)));
        Decision held = limiter.decide("k", 2);
        openBreaker(limiter);
        limiter.refund("k", held);
        server.resume();
        Eventually.holds("it is free", ofSeconds(10), () -> free(limiter, "k") == 2);
        assertThat(limiter.peek("k", 0).perLimit().get(1).remaining()).isEqualTo(8);
    }

    @Test
    void holdsOfSeveralLimitersAreReleased() {
        Limiter one = limiter("one", Limit.concurrency(1));
        Limiter other = limiter("other", Limit.concurrency(1));
        List<Decision> held = store.decideAll(List.of(new Charge(one, "k", 1), new Charge(other, "l", 1)))
                .join();
        assertThat(held).allMatch(Decision::allowed);
        openBreaker(one);
        one.release("k", held.get(0));
        other.release("l", held.get(1));
        server.resume();
        Eventually.holds("both are free", ofSeconds(10), () -> free(one, "k") == 1 && free(other, "l") == 1);
    }

    @Test
    void manyAreReleasedAFewAtATime() {
        Limiter limiter = limiter("many", Limit.concurrency(1));
        List<Decision> held = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            held.add(limiter.decide("k" + i));
        }
        assertThat(held).allMatch(each -> each.source() == Decision.Source.REDIS && each.allowed());
        openBreaker(limiter);
        for (int i = 0; i < held.size(); i++) {
            limiter.release("k" + i, held.get(i));
        }
        server.resume();
        Eventually.holds("all are free", ofSeconds(20), () -> {
            assertThat(store.counters().inFlight()).isLessThanOrEqualTo(UnconfirmedReleases.MAX_UNDER_WAY + 2);
            return server.keys().stream().noneMatch(name -> name.endsWith("1C"));
        });
    }

    /** The connection is cut before the release reaches Redis. */
    @Test
    void aReleaseOnALostConnectionIsMadeUpFor() {
        try (FaultyProxy proxy = FaultyProxy.to(server);
                RedisStore behind = connected(proxy.url())) {
            Limiter limiter = behind.limiter("lost", Limit.concurrency(1));
            Eventually.holds(
                    "Redis decides", ofSeconds(10), () -> limiter.peek("k", 1).source() == Decision.Source.REDIS);
            Decision held = limiter.decide("k");
            proxy.silence();
            limiter.release("k", held);
            Eventually.holds(
                    "it is free", ofSeconds(10), () -> limiter.decide("k").allowed());
        }
    }

    /** Redis does the release when it goes on, and cannot tell the hold from others that were taken at that instant. */
    @Test
    void whatRedisMayHaveReleasedEndsNoHoldOfAnother() throws Exception {
        Limiter limiter = limiter("alike", Limit.concurrency(500));
        List<Decision> alike = takenTogether(limiter);
        long others = 500 - free(limiter, "k") - 1;
        server.pause();
        limiter.release("k", alike.get(0));
        assertThat(store.counters().open()).as("it was sent").isFalse();
        server.resume();
        Eventually.holds("it is free", ofSeconds(10), () -> free(limiter, "k") == 500 - others);
        for (int i = 0; i < 10; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(free(limiter, "k")).isEqualTo(500 - others);
        }
    }

    /** What was not sent is not done: nobody has to wait for the others. */
    @Test
    void whatWasNotSentIsReleasedWhileOthersAreHeld() throws Exception {
        Limiter limiter = limiter("unsent", Limit.concurrency(500));
        List<Decision> alike = takenTogether(limiter);
        long others = 500 - free(limiter, "k") - 1;
        openBreaker(limiter);
        limiter.refund("k", alike.get(0));
        server.resume();
        Eventually.holds("it is free", ofSeconds(10), () -> free(limiter, "k") == 500 - others);
        TimeUnit.SECONDS.sleep(1);
        assertThat(free(limiter, "k")).isEqualTo(500 - others);
    }

    /** Redis does the lease when it goes on, and it is over before it is asked for again. */
    @Test
    void aLeaseThatRedisMayHaveNotedEndsNoHoldOfAnother() throws Exception {
        Limiter limiter = limiter("leased", Limit.concurrency(500));
        List<Decision> alike = takenTogether(limiter);
        long others = 500 - free(limiter, "k") - 1;
        server.pause();
        limiter.leaseAsync("k", alike.get(0), ofMillis(100)).join();
        assertThat(store.counters().open()).as("it was sent").isFalse();
        server.resume();
        Eventually.holds("it is free", ofSeconds(10), () -> free(limiter, "k") == 500 - others);
        for (int i = 0; i < 10; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(free(limiter, "k")).isEqualTo(500 - others);
        }
    }

    /** The same, and it is ended by its id before it is asked for again. */
    @Test
    void theIdOfALeaseThatRedisMayHaveNotedEndsNoHoldOfAnother() throws Exception {
        Limiter limiter = limiter("ended", Limit.concurrency(500));
        List<Decision> alike = takenTogether(limiter);
        long others = 500 - free(limiter, "k") - 1;
        server.pause();
        long id = limiter.leaseAsync("k", alike.get(0), ofMinutes(5)).join().orElseThrow();
        CompletableFuture<Boolean> ended = limiter.releaseLeaseAsync("k", id);
        assertThat(ended.join()).isTrue();
        assertThat(store.counters().open()).as("it was sent").isFalse();
        server.resume();
        Eventually.holds("it is free", ofSeconds(10), () -> free(limiter, "k") == 500 - others);
        for (int i = 0; i < 10; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(free(limiter, "k")).isEqualTo(500 - others);
        }
    }

    /** Two of the holds that were taken at the same instant. */
    private static List<Decision> takenTogether(Limiter limiter) {
        for (int i = 0; i < 10; i++) {
            List<CompletableFuture<Decision>> asked = new ArrayList<>();
            for (int j = 0; j < 40; j++) {
                asked.add(limiter.decideAsync("k", 1));
            }
            List<Decision> taken = asked.stream().map(CompletableFuture::join).toList();
            for (int j = 1; j < taken.size(); j++) {
                long before = LimiterDecision.of(taken.get(j - 1)).takenAtMicros();
                if (taken.get(j).allowed()
                        && before == LimiterDecision.of(taken.get(j)).takenAtMicros()) {
                    return taken.subList(j - 1, j + 1);
                }
            }
        }
        throw new AssertionError("no two requests were in one script");
    }

    @Test
    void aReleaseThatIsRefusedByTheClosedStoreEndsAtOnce() {
        Limiter limiter = limiter("closed", Limit.concurrency(1));
        Decision held = limiter.decide("k");
        server.pause();
        store.close();
        CompletableFuture<?> released = limiter.releaseAsync("k", held);
        assertThat(released).isDone();
    }
}
