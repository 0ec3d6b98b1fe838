package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Decision.Source;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.OnFailure;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store on the event loops of an application, with a real Redis. */
@Timeout(60)
class EventLoopsTest {
    private static final int LOOPS = 2;
    private static final Duration TIMEOUT = Duration.ofMillis(50);
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Limit MANY = Limit.fixedWindow(1_000_000, Duration.ofHours(1));

    /** A decision, and the thread on which it was made. */
    private record Made(Decision decision, Thread thread) {}

    private static RedisServer server;
    private static EventLoopGroup loops;
    private RedisStore store = open();

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        loops = new DefaultEventLoopGroupProvider(LOOPS).allocate(Transports.eventLoopGroupClass());
    }

    @AfterAll
    static void stop() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        server.close();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static RedisStore open() {
        return RedisStore.builder()
                .url(server.url())
                .timeout(TIMEOUT)
                .onFailure(OnFailure.DENY)
                .eventLoops(loops)
                .build();
    }

    /** Asks on an event loop, so many times in one turn. */
    private static List<CompletableFuture<Made>> ask(EventExecutor loop, Limiter limiter, int times) {
        List<CompletableFuture<Made>> all = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            all.add(new CompletableFuture<>());
        }
        loop.execute(() -> all.forEach(each -> limiter.decideAsync("k", 1)
                .thenAccept(decision -> each.complete(new Made(decision, Thread.currentThread())))));
        return all;
    }

    private static List<CompletableFuture<Made>> askOnEach(Limiter limiter, int times) {
        List<CompletableFuture<Made>> all = new ArrayList<>();
        loops.forEach(loop -> all.addAll(ask(loop, limiter, times)));
        return all;
    }

    private static List<Decision> decisions(List<CompletableFuture<Made>> all) {
        return all.stream().map(each -> each.join().decision).toList();
    }

    /** Asks until Redis decides on every event loop. */
    private static void awaitRedis(Limiter limiter) {
        Eventually.holds(
                "Redis decides",
                SOON,
                () -> decisions(askOnEach(limiter, 1)).stream().allMatch(each -> each.source() == Source.REDIS));
    }

    /** How many connections Redis has, without the one that asks. */
    private static long connections() {
        String report = Objects.requireNonNull(server.text("INFO", "clients"));
        return Long.parseLong(report.replaceAll("(?s).*connected_clients:(\\d+).*", "$1")) - 1;
    }

    @Test
    void eachEventLoopHasAConnectionAndGetsItsDecisionsItself() {
        Limiter limiter = store.limiter("own", MANY);
        Eventually.holds("each has one", SOON, () -> connections() == LOOPS); // those of the test before are closed
        loops.forEach(loop -> {
            Thread own =
                    loop.submit(Thread::currentThread).syncUninterruptibly().getNow();
            for (CompletableFuture<Made> each : ask(loop, limiter, 10)) {
                assertThat(each.join().decision.source()).isEqualTo(Source.REDIS);
                assertThat(each.join().thread).isEqualTo(own);
            }
        });
    }

    @Test
    void whatIsAskedInOneTurnIsOneScript() {
        Limiter limiter = store.limiter("together", MANY);
        decisions(ask(loops.next(), limiter, 2)); // has sent the script's text
        long before = store.counters().calls();
        List<Decision> made = decisions(ask(loops.next(), limiter, 50));
        assertThat(store.counters().calls()).isEqualTo(before + 1);
        assertThat(made).extracting(Decision::remaining).isSortedAccordingTo((a, b) -> Long.compare(b, a));
    }

    @Test
    void eventLoopsAndOtherThreadsShareALimitExactly() {
        Limiter limiter = store.limiter("shared", Limit.tokenBucket(100, Duration.ofDays(1)));
        List<CompletableFuture<Made>> all = askOnEach(limiter, 80);
        int here = 0;
        for (int i = 0; i < 40; i++) {
            here += limiter.tryAcquire("k") ? 1 : 0;
        }
        long onLoops = decisions(all).stream().filter(Decision::allowed).count();
        assertThat(onLoops + here).isEqualTo(100);
    }

    @Test
    void everyDecisionOfAPausedRedisEndsInTimeAndItIsUsedAgain() {
        Limiter limiter = store.limiter("paused", MANY);
        awaitRedis(limiter);
        server.pause();
        try {
            long start = System.nanoTime();
            List<Decision> made = decisions(askOnEach(limiter, 100));
            assertThat(made).allMatch(each -> each.source() == Source.FAILURE_POLICY);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(TIMEOUT.multipliedBy(2).plusMillis(400));
        } finally {
            server.resume();
        }
        awaitRedis(limiter);
    }

    @Test
    void aConnectionThatIsClosedIsMadeAgain() {
        Limiter limiter = store.limiter("killed", MANY);
        awaitRedis(limiter);
        String ids = Objects.requireNonNull(server.text("CLIENT", "LIST"));
        String one = ids.lines()
                .filter(line -> !line.contains("cmd=client"))
                .map(line -> line.replaceAll(".*?addr=(\\S+).*", "$1"))
                .findFirst()
                .orElseThrow();
        server.command("CLIENT", "KILL", one);
        awaitRedis(limiter);
        Eventually.holds("all are connected", SOON, () -> connections() == LOOPS);
    }

    @Test
    void aRedisThatForgetsEverythingUnderLoadGoesOnDeciding() {
        Limiter limiter = store.limiter("flushed", MANY);
        awaitRedis(limiter);
        List<CompletableFuture<Made>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.addAll(askOnEach(limiter, 20));
            server.command(i % 2 == 0 ? "FLUSHALL" : "SCRIPT", i % 2 == 0 ? "SYNC" : "FLUSH");
            all.get(all.size() - 1).join();
        }
        assertThat(decisions(all)).allMatch(each -> each.source() == Source.REDIS && each.allowed());
    }

    @Test
    void closingEndsWhatIsUnderWayAndLeavesTheEventLoops() {
        Limiter limiter = store.limiter("closed", MANY);
        server.pause();
        try {
            List<CompletableFuture<Made>> all = askOnEach(limiter, 100);
            store.close();
            assertThat(decisions(all)).hasSize(LOOPS * 100);
            assertThat(decisions(askOnEach(limiter, 1))).allMatch(each -> each.source() == Source.FAILURE_POLICY);
        } finally {
            server.resume();
        }
        assertThat(loops.isShuttingDown()).isFalse();
        Eventually.holds("no connection is left", SOON, () -> connections() == 0);
    }
}
