package dev.sluice.redis.hold;

import dev.sluice.spi.LimiterDecision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Releases holds, and repeats what Redis has not confirmed until it has, or until the hold has ended with its lease. Nobody
 * waits for that.
 *
 * <p>Holds of as many permits that were taken at the same instant cannot be told apart. So a release that Redis may have
 * done is not repeated while this process has a hold alike: the repetition could end that one.
 */
final class UnconfirmedReleases {
    /** Asks Redis. */
    interface Runner {
        /** Releases a hold; {@code then} gets whether Redis has done it. Returns false if Redis was not asked. */
        boolean release(String key, LimiterDecision taken, Consumer<Boolean> then);

        /** Whether this process has a hold that Redis cannot tell from this one. */
        boolean holdsAlike(String key, LimiterDecision taken);

        /** Whether no call would be sent now. */
        boolean isAway();
    }

    /** One call; {@code then} gets whether Redis has done it. Returns false if Redis was not asked. */
    interface Call {
        boolean run(Consumer<Boolean> then);
    }

    private static final class Release {
        private final String key;
        private final LimiterDecision taken;
        private final long goneAtNanos;
        /** How many calls Redis may have done. */
        private final AtomicInteger asked = new AtomicInteger();

        Release(String key, LimiterDecision taken, long goneAtNanos) {
            this.key = key;
            this.taken = taken;
            this.goneAtNanos = goneAtNanos;
        }
    }

    /** The most releases that wait to be repeated; the holds of further ones end with their lease. */
    static final int MAX_PENDING = 10_000;

    /** The most repetitions in flight. */
    static final int MAX_UNDER_WAY = 200;

    private static final long REPEAT_MILLIS = 250;
    private static final long NEXT_MILLIS = 20;

    private final Runner runner;
    private final ScheduledExecutorService executor;
    private final long goneAfterNanos;
    private final ConcurrentLinkedQueue<Release> pending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** A hold ends {@code leaseMicros} after its last renewal; never, if that is 0. */
    UnconfirmedReleases(Runner runner, ScheduledExecutorService executor, long leaseMicros) {
        this.runner = runner;
        this.executor = executor;
        // twice: a renewal that was on its way may run when Redis goes on
        long year = TimeUnit.DAYS.toNanos(365);
        this.goneAfterNanos = leaseMicros == 0 ? year : Math.min(year, TimeUnit.MICROSECONDS.toNanos(leaseMicros) * 2);
    }

    /** Releases a hold; done when Redis has replied or cannot be reached. */
    CompletableFuture<?> release(String key, LimiterDecision taken) {
        return release(key, taken, then -> runner.release(key, taken, then));
    }

    /** The same with another call the first time, which releases the hold as well. */
    CompletableFuture<Boolean> release(String key, LimiterDecision taken, Call first) {
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        ask(new Release(key, taken, System.nanoTime() + goneAfterNanos), first, asked::complete);
        return asked;
    }

    private void ask(Release release, Call call, Consumer<Boolean> then) {
        release.asked.incrementAndGet();
        boolean asked = call.run(done -> {
            if (!done) {
                add(release);
            }
            then.accept(done);
        });
        if (!asked) {
            release.asked.decrementAndGet();
        }
    }

    private void add(Release release) {
        if (executor.isShutdown()) { // the store is closed
            return;
        }
        if (count.incrementAndGet() > MAX_PENDING) {
            count.decrementAndGet();
            return;
        }
        pending.add(release);
        schedule(REPEAT_MILLIS);
    }

    private void schedule(long millis) {
        if (scheduled.compareAndSet(false, true)) {
            try {
                executor.schedule(this::repeatAll, millis, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) { // the store was closed meanwhile
                pending.clear();
            }
        }
    }

    private void repeatAll() {
        scheduled.set(false);
        boolean away = runner.isAway();
        long now = System.nanoTime();
        for (int left = count.get(); left > 0 && underWay.get() < MAX_UNDER_WAY; left--) {
            Release release = pending.poll();
            if (release == null) {
                break;
            }
            count.decrementAndGet();
            if (now - release.goneAtNanos >= 0) {
                continue;
            }
            if (away || (release.asked.get() > 0 && runner.holdsAlike(release.key, release.taken))) {
                add(release);
            } else {
                underWay.incrementAndGet();
                ask(
                        release,
                        then -> runner.release(release.key, release.taken, then),
                        done -> underWay.decrementAndGet());
            }
        }
        if (!pending.isEmpty()) {
            schedule(underWay.get() == 0 ? REPEAT_MILLIS : NEXT_MILLIS);
        }
    }
}
