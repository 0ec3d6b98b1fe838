package dev.sluice.redis.hold;

import dev.sluice.Limiter;
import dev.sluice.redis.hold.LeaseCall.Result;
import dev.sluice.spi.LeaseId;
import dev.sluice.spi.LimiterDecision;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts holds under a lease of their own, and ends them by their id.
 *
 * <p>A hold has the lease of the store when it is taken, and no id. If Redis goes silent before it has got both, it would end
 * too early or too late, and its id would end nothing. So what Redis has not confirmed is asked for again until it is, or
 * until the hold has ended anyway. Nobody waits for that: the id is known at once.
 *
 * <p>Until Redis has given a hold its id, it cannot be told from others of as many permits that were taken at the same
 * instant. So a hold that Redis may have given its id is ended by that alone while this process has one alike: else the
 * call could end that one.
 *
 * <p>A call that puts a hold under its lease may run after the one that ends it: it was about to be sent, or was sent on a
 * connection that has been replaced since. It finds no hold then, and adds one that nobody would end:
 *
 * <pre>
 *   lease, on the old connection  ------------- no reply ----------------------> adds the hold again
 *   end, on the new one                         -------> ends the hold
 *   end once more                                                        -----------> ends it
 * </pre>
 *
 * <p>So a hold is ended again by its id, which ends no other, until each such call has been answered; if its reply is lost,
 * for {@link #END_AGAIN_NANOS}. While this process has one alike, that is put off: the late call may have put that one under
 * the lease.
 */
final class LeasedHolds {
    /** Asks Redis. */
    interface Runner {
        /** Runs the script for a key; the reply is null if there is none. Returns false if Redis was not asked. */
        boolean run(String key, LeaseCall call, Reply then);

        /** Whether this process renews a hold that Redis cannot tell from that of the call. */
        boolean holdsAlike(String key, LeaseCall call);
    }

    /** Gets the reply to a call. */
    interface Reply {
        /** The reply, or null if there is none in time. */
        void replied(@Nullable Result result);

        /** A reply that came after that. */
        default void repliedLate() {}
    }

    /**
     * A lease that Redis has not confirmed.
     *
     * @param endsAtNanos when the lease is over
     * @param goneAtNanos when the hold is gone from Redis, whatever happens
     * @param asked how many calls Redis may have done
     * @param leasing how many calls may still put it under its lease
     */
    private record Pending(
            String key,
            LeaseCall call,
            long endsAtNanos,
            long goneAtNanos,
            AtomicInteger asked,
            AtomicInteger leasing) {
        /** The call as of now: once the lease is over, it ends the hold. */
        LeaseCall at(long now) {
            return call.withLease(Math.max(0, TimeUnit.NANOSECONDS.toMicros(endsAtNanos - now)));
        }

        /** The same hold, which is to end now. */
        Pending ended(long now) {
            return new Pending(key, call, now, goneAtNanos, asked, leasing);
        }
    }

    /**
     * A hold that is known to be under its lease, or to have ended, and that calls may still add.
     *
     * @param untilNanos when that is not expected any more
     */
    private record Known(Pending lease, long untilNanos) {
        static Known of(Pending lease) {
            return new Known(lease, System.nanoTime() + END_AGAIN_NANOS);
        }

        boolean isAnswered() {
            return lease.leasing.get() == 0;
        }
    }

    /** What Redis knows of a hold that has no id yet. */
    private record Taken(String key, long takenAtMicros, long permits) {
        static Taken of(Pending lease) {
            return new Taken(lease.key, lease.call.id(), lease.call.permits());
        }
    }

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());
    private static final long REPEAT_MILLIS = 250;
    /** Much longer than a connection is still open that has been replaced. */
    private static final long END_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Runner runner;
    private final ScheduledExecutorService executor;
    private final HoldCounters counters;
    private final long storeLeaseMicros;
    private final Map<Long, Pending> pending = new ConcurrentHashMap<>();
    private final Map<Long, Known> underLease = new ConcurrentHashMap<>();
    private final Map<Long, Known> ended = new ConcurrentHashMap<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** {@code storeLeaseMicros} is the lease of a hold when it is taken. */
    LeasedHolds(Runner runner, ScheduledExecutorService executor, HoldCounters counters, long storeLeaseMicros) {
        this.runner = runner;
        this.executor = executor;
        this.counters = counters;
        this.storeLeaseMicros = storeLeaseMicros;
    }

    /** Ends a hold that was taken on Redis when the lease is over, or by the id that it gets. */
    CompletableFuture<OptionalLong> lease(String key, LimiterDecision taken, long leaseMicros) {
        long id = LeaseId.next();
        long now = System.nanoTime();
        LeaseCall call = new LeaseCall(taken.takenAtMicros(), taken.charged(), id, leaseMicros);
        long goneAt = now + nanos(Math.max(leaseMicros, storeLeaseMicros));
        Pending own =
                new Pending(key, call, now + nanos(leaseMicros), goneAt, new AtomicInteger(), new AtomicInteger());
        pending.put(id, own);
        CompletableFuture<OptionalLong> leased = new CompletableFuture<>();
        run(own, call, result -> leased.complete(OptionalLong.of(id)));
        return leased;
    }

    /** At most a year from now, so that instants can be compared. */
    private static long nanos(long micros) {
        return Math.min(TimeUnit.MICROSECONDS.toNanos(micros), TimeUnit.DAYS.toNanos(365));
    }

    /** Ends the hold with this id; the reply is null if there is none, and this process will not ask again. */
    void release(String key, long id, Consumer<@Nullable Result> then) {
        Pending own = pending.computeIfPresent(id, (unused, lease) -> lease.ended(System.nanoTime()));
        if (own == null) {
            Known known = underLease.remove(id);
            if (known != null) {
                ended.put(id, known);
                schedule();
            }
            runner.run(key, LeaseCall.end(id), then::accept);
            return;
        }
        // what Redis does not confirm will end as soon as it answers
        run(
                own,
                ending(own, leasedAt(System.nanoTime())),
                result -> then.accept(result == null ? Result.FOUND : result));
    }

    /** Ends what calls may still add to a key: it was reset. */
    void removeAll(String key) {
        pending.forEach((id, lease) -> {
            if (lease.key.equals(key) && pending.remove(id, lease)) {
                ended.put(id, Known.of(lease));
            }
        });
        underLease.forEach((id, hold) -> {
            if (hold.lease.key.equals(key) && underLease.remove(id, hold)) {
                ended.put(id, hold);
            }
        });
        schedule();
    }

    /** The holds whose leases are neither confirmed nor over. */
    private Set<Taken> leasedAt(long now) {
        Set<Taken> leased = new HashSet<>();
        pending.values().stream()
                .filter(each -> each.endsAtNanos - now > 0)
                .forEach(each -> leased.add(Taken.of(each)));
        return leased;
    }

    private LeaseCall ending(Pending lease, Set<Taken> leased) {
        boolean isSure = lease.asked.get() == 0 || !isAlikeHeld(lease, leased);
        return isSure ? lease.call.withLease(0) : LeaseCall.end(lease.call.next());
    }

    private boolean isAlikeHeld(Pending lease, Set<Taken> leased) {
        return leased.contains(Taken.of(lease)) || runner.holdsAlike(lease.key, lease.call);
    }

    /** Asks for a lease that is not confirmed; {@code then} gets null if it is not confirmed now. */
    private void run(Pending lease, LeaseCall call, Consumer<@Nullable Result> then) {
        boolean leases = call.leaseMicros() > 0;
        lease.asked.incrementAndGet();
        if (leases) {
            lease.leasing.incrementAndGet(); // first: whoever ends it from now on knows of this call
            if (!lease.equals(pending.get(call.next()))) { // it has just been ended
                lease.leasing.decrementAndGet();
                lease.asked.decrementAndGet();
                return;
            }
        }
        boolean isLast = lease.leasing.get() == 0; // for an end: no call can add the hold after it
        boolean asked = runner.run(lease.key, call, new Reply() {
            @Override
            public void replied(@Nullable Result result) {
                if (leases && result != null) {
                    lease.leasing.decrementAndGet();
                }
                // by its id alone: there was none, so Redis may not have given it
                Result known = result == Result.GONE && call.id() == call.next() ? null : result;
                confirmed(lease, call, known, isLast);
                then.accept(known);
            }

            @Override
            public void repliedLate() {
                if (leases) {
                    lease.leasing.decrementAndGet();
                }
            }
        });
        if (!asked) {
            lease.asked.decrementAndGet();
            if (leases) {
                lease.leasing.decrementAndGet();
            }
        }
    }

    /** Whether a hold of as many permits that was taken at the same instant is not known to be under its lease. */
    boolean isUnconfirmed(String key, LimiterDecision taken) {
        return pending.values().stream()
                .anyMatch(lease -> lease.call.id() == taken.takenAtMicros()
                        && lease.call.permits() == taken.charged()
                        && lease.key.equals(key));
    }

    private void confirmed(Pending lease, LeaseCall call, @Nullable Result result, boolean isLast) {
        if (result == null) {
            schedule();
            return;
        }
        if (call.leaseMicros() == 0) {
            pending.remove(call.next());
            if (!isLast) {
                ended.put(call.next(), Known.of(lease));
                schedule();
            }
            return;
        }
        if (lease.leasing.get() > 0) { // first: whoever ends it finds it here or among those that are pending
            underLease.put(call.next(), Known.of(lease));
            schedule();
        }
        if (!pending.remove(call.next(), lease)) { // it is to end, or has ended
            schedule();
        } else if (result == Result.RESTORED) {
            counters.restored().increment();
        } else if (result == Result.GONE && lease.endsAtNanos - System.nanoTime() > 0) {
            counters.lost().increment();
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a hold of {0} permits was lost before it was under its lease, and others hold the permits now",
                    lease.call.permits());
        }
    }

    private void schedule() {
        boolean isEmpty = pending.isEmpty() && underLease.isEmpty() && ended.isEmpty();
        if (!isEmpty && scheduled.compareAndSet(false, true)) {
            try {
                executor.schedule(this::repeat, REPEAT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) { // the store is closed
                pending.clear();
                underLease.clear();
                ended.clear();
            }
        }
    }

    private void repeat() {
        scheduled.set(false);
        long now = System.nanoTime();
        pending.values().removeIf(lease -> now - lease.goneAtNanos >= 0);
        Set<Taken> leased = leasedAt(now);
        pending.forEach((id, lease) -> {
            LeaseCall call = lease.at(now);
            run(lease, call.leaseMicros() == 0 ? ending(lease, leased) : call, result -> {});
        });
        underLease.values().removeIf(hold -> hold.isAnswered() || now - hold.untilNanos >= 0);
        ended.values().removeIf(hold -> now - hold.lease.goneAtNanos >= 0);
        ended.forEach((id, hold) -> {
            if (!isAlikeHeld(hold.lease, leased)) {
                endAgain(id, hold, now);
            }
        });
        if (!underLease.isEmpty() || !ended.isEmpty()) {
            schedule();
        }
    }

    private void endAgain(long id, Known hold, long now) {
        boolean isLast = hold.isAnswered() || now - hold.untilNanos >= 0; // none adds it after this call
        runner.run(hold.lease.key, LeaseCall.end(id), result -> {
            if (result != null && isLast) {
                ended.remove(id);
            }
        });
    }
}
