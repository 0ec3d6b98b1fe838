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
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.FaultyProxy;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two stores take, release, refund, lease and cancel holds of one key, while Redis stands still again and again and its
 * replies come before or after the timeout. There are never more holds than the limit admits, and in the end none is left,
 * long before a lease ends.
 *
 * <p>On a busy machine a connection may be replaced before a late reply comes. Nobody learns then that Redis granted a hold,
 * and it ends with the lease of the store. The holds that were put under a lease of four minutes are gone by then, too.
 */
@Timeout(180)
@Tag("full")
class HoldsUnderFaultsTest {
    private static final int PERMITS = 30;
    private static final int FAULTS = 60;
    private static final Duration LEASE = ofMinutes(1);

    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicLong granted = new AtomicLong();
    private final AtomicBoolean isOver = new AtomicBoolean();

    private static RedisStore connected(String url) {
        return RedisStore.builder()
                .url(url)
                .timeout(ofMillis(150))
                .lease(LEASE)
                .onFailure(OnFailure.DENY)
                .build();
    }

    @Test
    void noneIsEndedTwiceAndNoneIsLeft() throws Exception {
        try (RedisServer server = RedisServer.start();
                FaultyProxy one = FaultyProxy.to(server);
                FaultyProxy other = FaultyProxy.to(server);
                RedisStore first = connected(one.url());
                RedisStore second = connected(other.url());
                RedisStore observer = RedisStore.connect(server.url())) {
            List<Thread> workers = new ArrayList<>();
            for (RedisStore store : List.of(first, second, first, second)) {
                Random random = new Random(workers.size());
                Thread worker = new Thread(() -> work(store, random));
                workers.add(worker);
                worker.start();
            }
            Random random = new Random(1);
            for (int i = 0; i < FAULTS; i++) {
                TimeUnit.MILLISECONDS.sleep(100 + random.nextInt(200));
                FaultyProxy proxy = random.nextBoolean() ? one : other;
                switch (random.nextInt(3)) {
                    case 0 -> {
                        server.pause();
                        TimeUnit.MILLISECONDS.sleep(random.nextInt(250));
                        server.resume();
                    }
                    case 1 -> proxy.delay(ofMillis(random.nextInt(200)));
                    default -> proxy.deliverAll();
                }
            }
            one.deliverAll();
            other.deliverAll();
            isOver.set(true);
            for (Thread worker : workers) {
                worker.join();
            }
            assertThat(granted.get()).isGreaterThan(500);
            assertThat(most.get()).isBetween(2, PERMITS);
            Limiter limiter = observer.limiter("faults", Limit.concurrency(PERMITS));
            Eventually.holds(
                    "every call has been answered or given up",
                    ofSeconds(10),
                    () -> first.counters().inFlight() + second.counters().inFlight() == 0);
            TimeUnit.SECONDS.sleep(1); // for what is late
            long lostReplies = lostReplies(first) + lostReplies(second);
            Eventually.holds(
                    "all are free, with " + lostReplies + " replies lost",
                    lostReplies == 0 ? ofSeconds(20) : LEASE.plusSeconds(20),
                    () -> limiter.peek("k", 0).remaining() == PERMITS,
                    () -> "free " + limiter.peek("k", 0).remaining());
        }
    }

    private static long lostReplies(RedisStore store) {
        RedisCounters counters = store.counters();
        return counters.timeouts() + counters.failures() - counters.late();
    }

    private void work(RedisStore store, Random random) {
        Limiter limiter = store.limiter("faults", Limit.concurrency(PERMITS));
        Limiter rate = store.limiter("rate", Limit.tokenBucket(100_000, ofMinutes(1)));
        while (!isOver.get()) {
            List<CompletableFuture<Decision>> asked = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                asked.add(limiter.decideAsync("k", 1));
            }
            CompletableFuture<List<Decision>> joint =
                    store.decideAll(List.of(new Charge(rate, "k", 1), new Charge(limiter, "k", 1)));
            if (random.nextInt(4) == 0) {
                asked.get(random.nextInt(6)).cancel(false);
                joint.cancel(false);
            }
            asked.add(joint.thenApply(decisions -> decisions.get(1)));
            List<Decision> taken = asked.stream()
                    .filter(each -> each.handle((decision, cancelled) -> cancelled == null && decision.allowed())
                            .join())
                    .map(CompletableFuture::join)
                    .toList();
            granted.addAndGet(taken.size());
            most.accumulateAndGet(held.addAndGet(taken.size()), Math::max);
            pause(random.nextInt(20));
            for (Decision each : taken) {
                held.decrementAndGet();
                end(limiter, each, random);
            }
        }
    }

    private static void end(Limiter limiter, Decision taken, Random random) {
        switch (random.nextInt(5)) {
            case 0 -> limiter.refundAsync("k", taken);
            case 1 -> limiter.leaseAsync("k", taken, ofMillis(1 + random.nextInt(100)));
            case 2 -> limiter.leaseAsync("k", taken, ofMinutes(4)).thenAccept(id -> end(limiter, id.orElseThrow()));
            default -> limiter.releaseAsync("k", taken);
        }
    }

    /** It fails if Redis does not answer, and is to be asked again. */
    private static void end(Limiter limiter, long id) {
        limiter.releaseLeaseAsync("k", id).exceptionally(failure -> {
            CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(() -> end(limiter, id));
            return false;
        });
    }

    private static void pause(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
