package dev.sluice.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Store;
import dev.sluice.Ticker;
import dev.sluice.model.ModelLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Law 13: several limiters are charged together or not at all, in one step that nobody sees half of. */
public abstract class StoreContract {
    private static final int THREADS = 4;
    private static final int STEPS = 60;
    private static final List<LimitFamily> FAMILIES = List.of(LimitFamily.values());

    /** An empty store on this clock. */
    protected abstract Store store(Ticker ticker);

    /** How many random traces are tried. */
    protected int traces() {
        return Integer.getInteger("sluice.traces", 1000);
    }

    @Test
    @DisplayName(
            "13. Like the model: every decision is that of limiters that are all asked first, and then all charged")
    void likeTheModel() {
        new Random(Long.getLong("sluice.seed", 20_240_501L))
                .longs(2L * traces())
                .forEach(this::likeTheModel);
    }

    private void likeTheModel(long seed) {
        Random random = new Random(seed);
        FakeClock clock = new FakeClock(1_700_000_000_000_000L + random.nextInt(1_000_000));
        try (Store store = store(clock)) {
            List<Limiter> real = new ArrayList<>();
            List<Limiter> model = new ArrayList<>();
            List<Limit> all = new ArrayList<>();
            int limiters = 2 + random.nextInt(3);
            for (int i = 0; i < limiters; i++) {
                LimitFamily family = FAMILIES.get(random.nextInt(FAMILIES.size()));
                List<Limit> limits = family.random(random);
                all.addAll(limits);
                int percent = random.nextInt(4) == 0 ? 1 + random.nextInt(100) : 100;
                real.add(store.limiter("limiter " + i, limits.toArray(Limit[]::new))
                        .withShare(percent));
                model.add(new ModelLimiter(clock, limits.toArray(Limit[]::new)).withShare(percent));
            }
            long memory = all.stream()
                    .mapToLong(limit -> Rhythm.of(limit).memoryMicros())
                    .min()
                    .orElseThrow();
            long least = all.stream().mapToLong(Limit::capacity).min().orElseThrow();
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(3) == 0) {
                    clock.advance(random.nextLong(memory / 4 + 2));
                }
                List<Ask> asks = asks(random, limiters, least);
                List<Decision> expected = decideAll(model, asks);
                List<Decision> given = store.decideAll(charges(real, asks)).join();
                assertThat(answers(given))
                        .as("seed %d, step %d, %s of %s", seed, step, asks, all)
                        .isEqualTo(answers(expected));
                refundSome(random, asks, real, given, model, expected);
            }
        }
    }

    private record Ask(int limiter, String key, long permits) {}

    /** No counter twice: the model has no word for that. */
    private static List<Ask> asks(Random random, int limiters, long least) {
        List<Ask> asks = new ArrayList<>();
        for (int i = 0; i < limiters; i++) {
            long permits = random.nextInt(8) == 0 ? 0 : 1 + random.nextLong(1 + least / 2);
            if (random.nextInt(4) > 0) {
                asks.add(new Ask(i, "a", permits));
            }
            if (random.nextInt(4) == 0) {
                asks.add(new Ask(i, "", permits));
            }
        }
        Collections.shuffle(asks, random);
        return asks;
    }

    private static List<Charge> charges(List<Limiter> limiters, List<Ask> asks) {
        return asks.stream()
                .map(ask -> new Charge(limiters.get(ask.limiter), ask.key, ask.permits))
                .toList();
    }

    /** The naive way, which is right if nobody else calls: ask all, and then charge all or none. */
    private static List<Decision> decideAll(List<Limiter> limiters, List<Ask> asks) {
        boolean allowed = asks.stream()
                .allMatch(ask ->
                        limiters.get(ask.limiter).peek(ask.key, ask.permits).allowed());
        return asks.stream()
                .map(ask -> {
                    Limiter limiter = limiters.get(ask.limiter);
                    if (allowed) {
                        return limiter.decide(ask.key, ask.permits);
                    }
                    Decision denied = limiter.peek(ask.key, ask.permits);
                    return denied.allowed() ? limiter.peek(ask.key, 0) : denied;
                })
                .toList();
    }

    private static void refundSome(
            Random random,
            List<Ask> asks,
            List<Limiter> real,
            List<Decision> given,
            List<Limiter> model,
            List<Decision> expected) {
        boolean all = given.stream().allMatch(Decision::allowed);
        for (int i = 0; i < asks.size() && all; i++) {
            Ask ask = asks.get(i);
            if (random.nextInt(4) == 0) {
                real.get(ask.limiter).refund(ask.key, given.get(i));
                model.get(ask.limiter).refund(ask.key, expected.get(i));
            }
        }
    }

    private static List<Answer> answers(List<Decision> decisions) {
        return decisions.stream().map(Answer::of).toList();
    }

    // ---- An attack

    @Test
    @DisplayName("13. A thousand requests that one limiter denies cost the others nothing")
    void deniedRequestsCostTheOthersNothing() {
        AtomicLong nanos = new AtomicLong();
        try (Store store = store(() -> nanos.addAndGet(1_000_000))) { // time passes between any two steps of a call
            Limiter open = store.limiter("open", Limit.tokenBucket(100, Duration.ofSeconds(100)));
            Limiter shut = store.limiter("shut", Limit.fixedWindow(1, Duration.ofDays(1)));
            shut.decide("k");
            open.decide("k", 90);
            long fullAtMicros = nanos.get() / 1000 + open.peek("k", 0).resetAfterMicros() + 1000;
            for (int i = 0; i < 1000; i++) {
                assertThat(store.decideAll(List.of(new Charge(open, "k", 1), new Charge(shut, "k", 1)))
                                .join())
                        .extracting(Decision::allowed)
                        .containsExactly(true, false);
            }
            long resetAfterMicros = open.peek("k", 0).resetAfterMicros();
            assertThat(nanos.get() / 1000 + resetAfterMicros).isEqualTo(fullAtMicros);
        }
    }

    @Test
    @Timeout(60)
    @DisplayName("13. Nobody sees a permit missing while denied requests are in flight")
    void deniedRequestsInFlightAreNotSeen() throws Exception {
        try (Store store = store(new FakeClock(0))) {
            Limiter open = store.limiter("open", Limit.tokenBucket(100, Duration.ofSeconds(100)));
            Limiter shut = store.limiter("shut", Limit.fixedWindow(1, Duration.ofDays(1)));
            shut.decide("k");
            List<Charge> request = List.of(new Charge(open, "k", 1), new Charge(shut, "k", 1));
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger lowest = new AtomicInteger(100);
            List<Runnable> works = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                works.add(() -> {
                    for (int call = 0; call < 5000; call++) {
                        assertThat(store.decideAll(request).join().get(1).allowed())
                                .isFalse();
                    }
                    over.set(true);
                });
            }
            works.add(() -> {
                while (!over.get()) {
                    lowest.accumulateAndGet((int) open.peek("k", 0).remaining(), Math::min);
                }
            });
            runAll(works);
            assertThat(lowest).hasValue(100);
        }
    }

    // ---- Many threads

    @Test
    @Timeout(60)
    @DisplayName("13. Charged together in any order: as many as the smallest limit, and never half of a request")
    void chargedTogetherUnderContention() throws Exception {
        for (int round = 0; round < Math.max(3, traces() / 50); round++) {
            chargedTogether(new Random(round));
        }
    }

    private void chargedTogether(Random random) throws Exception {
        List<Limit> kinds = new ArrayList<>(
                Kinds.rates(150 + random.nextInt(100), Duration.ofDays(1)).toList());
        Collections.shuffle(kinds, random);
        int smallest = 50 + random.nextInt(50);
        kinds.set(2, Limit.slidingLog(smallest, Duration.ofDays(1)));
        try (Store store = store(new FakeClock(1_700_000_000_000_000L))) {
            List<Charge> request = new ArrayList<>();
            List<Charge> look = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Limiter limiter = store.limiter("limiter " + i, kinds.get(i));
                request.add(new Charge(limiter, i == 1 ? "" : "k", 1));
                look.add(new Charge(limiter, i == 1 ? "" : "k", 0));
            }
            List<Long> fresh = remaining(store.decideAll(look).join());
            AtomicInteger admitted = new AtomicInteger();
            AtomicInteger working = new AtomicInteger(THREADS);
            List<Runnable> works = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                List<Charge> own = new ArrayList<>(request);
                Collections.shuffle(own, random);
                works.add(() -> {
                    for (int call = 0; call < smallest; call++) {
                        if (store.decideAll(own).join().stream().allMatch(Decision::allowed)) {
                            admitted.incrementAndGet();
                        }
                    }
                    working.decrementAndGet();
                });
            }
            works.add(() -> {
                while (working.get() > 0) {
                    assertUsedAlike(fresh, remaining(store.decideAll(look).join()));
                }
            });
            runAll(works);
            assertThat(admitted).as("%s", kinds.subList(0, 3)).hasValue(smallest);
            assertUsedAlike(fresh, remaining(store.decideAll(look).join()));
        }
    }

    private static void assertUsedAlike(List<Long> fresh, List<Long> now) {
        assertThat(fresh.get(0) - now.get(0))
                .isEqualTo(fresh.get(1) - now.get(1))
                .isEqualTo(fresh.get(2) - now.get(2));
    }

    private static List<Long> remaining(List<Decision> decisions) {
        return decisions.stream().map(Decision::remaining).toList();
    }

    private static void runAll(List<Runnable> works) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(works.size());
        try {
            for (Future<?> each : works.stream().map(pool::submit).toList()) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
            assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}
