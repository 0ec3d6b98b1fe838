package dev.sluice.bench.chaos;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.RedisStore;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.redis.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A store is closed while some of its callers wait for permits, and others for a Redis that is frozen. */
final class ClosedWhileWaiting implements Scenario {
    private static final String NAME = "closed while waiting";
    private static final Duration SOON = Duration.ofSeconds(10);
    /** Longer than anybody waits. */
    private static final Duration MAX_WAIT = Duration.ofHours(2);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<CallerResult> run(Schedule schedule, Stalls stalls) {
        List<CallerResult> results = new ArrayList<>();
        for (Caller caller : List.of(Caller.LETTUCE, Caller.JEDIS)) {
            try (RedisServer server = RedisServer.start()) {
                results.add(run(caller, server, schedule, stalls));
            }
        }
        return results;
    }

    private static CallerResult run(Caller caller, RedisServer server, Schedule schedule, Stalls stalls) {
        Queue<Call> calls = new ConcurrentLinkedQueue<>();
        RedisStore store = store(caller, server, schedule);
        RedisCounters counters;
        long closed;
        try {
            Limiter limiter = store.limiter("closed", Limit.slidingLog(schedule.permits(), Duration.ofHours(1)));
            Eventually.holds("Redis decides", SOON, () -> !limiter.tryAcquire("key"));
            List<CompletableFuture<Decision>> waiting = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                waiting.add(limiter.acquireAsync("key", 1, MAX_WAIT));
            }
            Scenario.pause(schedule.timeout());
            server.pause();
            for (int i = 0; i < 100; i++) {
                waiting.add(limiter.decideAsync("fresh-" + i, 1));
            }
            closed = System.nanoTime();
            waiting.forEach(each -> each.whenComplete((decision, failure) -> calls.add(new Call(
                    closed,
                    System.nanoTime(),
                    Call.FRESH,
                    failure == null ? Call.answer(decision) : Call.Answer.THROWN))));
            store.close();
            waiting.add(limiter.decideAsync("after", 1));
            awaitAnswers(waiting);
            long left = System.nanoTime();
            waiting.stream()
                    .filter(each -> !each.isDone())
                    .forEach(each -> calls.add(new Call(closed, left, Call.FRESH, Call.Answer.DENIED)));
            counters = store.counters();
        } finally {
            store.close();
            server.resume();
        }
        long ended = System.nanoTime();
        calls.add(byAnother(caller, server, schedule));
        return new CallerResult(
                new CallerResult.Setting(NAME, schedule, Forgets.NOTHING, true, closed, closed, ended),
                caller,
                List.copyOf(calls),
                counters,
                null,
                stalls);
    }

    /** Or gives up: then their calls are too long. */
    private static void awaitAnswers(List<CompletableFuture<Decision>> waiting) {
        try {
            Eventually.holds(
                    "everybody is answered", SOON, () -> waiting.stream().allMatch(CompletableFuture::isDone));
        } catch (AssertionError e) {
            // reported by the breaches
        }
    }

    /** Another store shows that Redis decides, once it runs again. */
    private static Call byAnother(Caller caller, RedisServer server, Schedule schedule) {
        try (RedisStore other = store(caller, server, schedule)) {
            Limiter limiter = other.limiter("another", Limit.slidingLog(60_000, Duration.ofHours(1)));
            long[] began = {0};
            Eventually.holds("Redis decides", SOON, () -> {
                began[0] = System.nanoTime();
                return limiter.decide("fresh").source() == Decision.Source.REDIS;
            });
            return new Call(began[0], System.nanoTime(), Call.FRESH, Call.Answer.GRANTED_BY_REDIS);
        }
    }

    private static RedisStore store(Caller caller, RedisServer server, Schedule schedule) {
        return RedisStore.builder()
                .url(server.url())
                .client(caller.client())
                .timeout(schedule.timeout())
                .onFailure(caller.policy())
                .build();
    }
}
