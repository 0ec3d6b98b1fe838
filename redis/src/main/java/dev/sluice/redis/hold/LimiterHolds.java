package dev.sluice.redis.hold;

import dev.sluice.redis.client.ResilientConnection;
import dev.sluice.redis.client.ResilientConnection.Receiver;
import dev.sluice.redis.hold.HoldRenewals.KeyHolds;
import dev.sluice.redis.hold.HoldRenewals.Renewed;
import dev.sluice.redis.hold.LeaseCall.Result;
import dev.sluice.redis.script.KeyNames;
import dev.sluice.redis.script.LimitScripts;
import dev.sluice.spi.LimiterDecision;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The holds of one limiter that this process has taken in Redis. */
public final class LimiterHolds {
    /** The calls of the limiter that end a hold; {@code then} gets whether Redis has done it. */
    public interface Calls {
        /** The scripts in force. */
        LimitScripts scripts();

        /** Returns false if Redis was not asked. */
        boolean release(String key, LimiterDecision taken, Consumer<Boolean> then);

        /** Refunds all permits of a decision. Returns false if Redis was not asked. */
        boolean refund(String key, LimiterDecision taken, Consumer<Boolean> then);
    }

    private final Calls calls;
    private final ResilientConnection connection;
    private final KeyNames names;
    private final HoldRenewals renewals;
    private final LeasedHolds leases;
    private final UnconfirmedReleases releases;
    private final String name;
    private final LimitersOfOneName limiters;

    /** Holds that end {@code leaseMicros} after their last renewal; never, if that is 0. */
    public LimiterHolds(
            Calls calls,
            ResilientConnection connection,
            KeyNames names,
            ScheduledExecutorService executor,
            HoldCounters counters,
            long leaseMicros,
            String name,
            LimitersOfOneName limiters) {
        this.calls = calls;
        this.connection = connection;
        this.names = names;
        this.renewals = new HoldRenewals(new Renewals(), executor, counters, leaseMicros);
        this.leases = new LeasedHolds(new Leases(), executor, counters, leaseMicros);
        this.releases = new UnconfirmedReleases(new Releases(), executor, leaseMicros);
        this.name = name;
        this.limiters = limiters;
    }

    // ---- Renewing

    /** Keeps permits held from now on. */
    public void add(String key, LimiterDecision taken) {
        renewals.add(key, taken);
        limiters.update(name, this);
    }

    /** Ends the renewal of a hold, whichever limiter of this name has taken it. */
    public void remove(String key, LimiterDecision taken) {
        if (!removeOwn(key, taken)) {
            var unused = others().anyMatch(each -> each.removeOwn(key, taken));
        }
    }

    private boolean removeOwn(String key, LimiterDecision taken) {
        boolean found = renewals.remove(key, taken);
        limiters.update(name, this);
        return found;
    }

    /** Ends all holds of a key that the limiters of this name have here. */
    public void removeAll(String key) {
        removeAllOwn(key);
        others().forEach(each -> each.removeAllOwn(key));
    }

    private void removeAllOwn(String key) {
        renewals.removeAll(key);
        leases.removeAll(key);
        limiters.update(name, this);
    }

    boolean isHolding() {
        return !renewals.isEmpty();
    }

    /** The other limiters of this name that hold permits. */
    private Stream<LimiterHolds> others() {
        return limiters.of(name).stream().filter(each -> each != this);
    }

    private boolean holdsAlike(String key, long takenAtMicros, long permits) {
        return renewals.holdsAlike(key, takenAtMicros, permits)
                || others().anyMatch(each -> each.renewals.holdsAlike(key, takenAtMicros, permits));
    }

    private final class Renewals implements HoldRenewals.Renewal {
        @Override
        public void renew(List<KeyHolds> holds, Consumer<List<Renewed>> then) {
            LimitScripts called = calls.scripts();
            if (called.holds()) {
                RenewalCall call = new RenewalCall(holds, called);
                connection.run(
                        RenewalCall.SCRIPT,
                        call.keyNames(names),
                        new byte[][] {call.arguments()},
                        ResilientConnection.ONE,
                        new Receiver() {
                            @Override
                            public void replied(byte @Nullable [] reply) {
                                then.accept(reply == null ? List.of() : call.renewed(reply));
                            }

                            @Override
                            public void repliedLate(byte[] reply) { // it may have added what was released meanwhile
                                then.accept(call.renewed(reply));
                            }
                        });
            }
        }

        @Override
        public boolean takesSeveralKeys() {
            return connection.isOneMaster();
        }

        @Override
        public void release(String key, LimiterDecision taken) {
            var unused = releases.release(key, taken);
        }
    }

    // ---- Releasing

    /** Releases a hold; done when Redis has replied or cannot be reached. What Redis has not done is repeated. */
    public CompletableFuture<?> release(String key, LimiterDecision taken) {
        return releases.release(key, taken);
    }

    /** Refunds all permits of a decision, which ends its hold; what Redis has not done is released later. */
    public CompletableFuture<?> refund(String key, LimiterDecision taken) {
        return releases.release(key, taken, then -> calls.refund(key, taken, then));
    }

    private final class Releases implements UnconfirmedReleases.Runner {
        @Override
        public boolean release(String key, LimiterDecision taken, Consumer<Boolean> then) {
            return calls.release(key, taken, then);
        }

        @Override
        public boolean holdsAlike(String key, LimiterDecision taken) {
            return LimiterHolds.this.holdsAlike(key, taken.takenAtMicros(), taken.charged())
                    || leases.isUnconfirmed(key, taken);
        }

        @Override
        public boolean isAway() {
            return connection.isOpen();
        }
    }

    // ---- Leases

    /** Ends a hold that was taken on Redis when the lease is over, or by the id that it gets. */
    public CompletableFuture<OptionalLong> lease(String key, LimiterDecision taken, long leaseMicros) {
        return leases.lease(key, taken, leaseMicros);
    }

    /** Ends the hold with this id; whether there was one. Fails if Redis does not answer and is not asked again. */
    public CompletableFuture<Boolean> releaseLease(String key, long id) {
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        leases.release(key, id, result -> {
            if (result == null) {
                released.completeExceptionally(
                        new IllegalStateException("Redis did not answer; the hold ends with its lease"));
            } else {
                released.complete(result == Result.FOUND);
            }
        });
        return released;
    }

    private final class Leases implements LeasedHolds.Runner {
        @Override
        public boolean run(String key, LeaseCall call, LeasedHolds.Reply then) {
            LimitScripts called = calls.scripts();
            String[] holding = LeaseCall.holdingNames(called, names.of(key, called.identities()));
            if (holding.length == 0) { // the limits were changed: whatever was held ends with its lease
                then.replied(null);
                return false;
            }
            return connection.run(
                    LeaseCall.SCRIPT,
                    holding,
                    new byte[][] {call.arguments(called)},
                    ResilientConnection.ONE,
                    new Receiver() {
                        @Override
                        public void replied(byte @Nullable [] reply) {
                            then.replied(reply == null ? null : LeaseCall.result(reply));
                        }

                        @Override
                        public void repliedLate(byte[] reply) {
                            then.repliedLate();
                        }
                    });
        }

        @Override
        public boolean holdsAlike(String key, LeaseCall call) {
            return LimiterHolds.this.holdsAlike(key, call.id(), call.permits());
        }
    }
}
