package dev.sluice.local;

import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.LimiterBuilder;
import dev.sluice.Scheduler;
import dev.sluice.Store;
import dev.sluice.Ticker;
import dev.sluice.spi.Shedding;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Builds a limiter in this process; beyond the public options, a test sets the wall clock. */
final class LocalLimiterBuilder implements LimiterBuilder {
    private final List<Limit> limits;
    private Ticker ticker = Ticker.system();
    private @Nullable LongSupplier wallClock = () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    private Scheduler scheduler = Scheduler.system();
    private MemoryBound bound = MemoryBound.shared();
    private @Nullable Shedding shedding;
    private boolean shadow;
    private @Nullable DecisionListener listener;
    private LocalStore.@Nullable Registration registration;

    LocalLimiterBuilder(Limit... limits) {
        this.limits = List.of(limits);
    }

    @Override
    public LocalLimiterBuilder ticker(Ticker ticker) {
        this.ticker = ticker;
        this.wallClock = ticker == Ticker.system() ? wallClock : null;
        return this;
    }

    /** The clock of windows aligned to the calendar, in microseconds since 1970. Default: the system's. */
    LocalLimiterBuilder wallClock(LongSupplier wallClock) {
        this.wallClock = wallClock;
        return this;
    }

    @Override
    public LocalLimiterBuilder scheduler(Scheduler scheduler) {
        this.scheduler = scheduler;
        return this;
    }

    /** The store that makes it, and its name there. Default: none. */
    LocalLimiterBuilder registration(LocalStore.Registration registration) {
        this.registration = registration;
        return this;
    }

    @Override
    public LocalLimiterBuilder maxBytes(long maxBytes) {
        return bound(new MemoryBound(maxBytes));
    }

    @Override
    public LocalLimiterBuilder boundOf(Store store) {
        if (store instanceof LocalStore local) {
            return bound(local.bound());
        }
        throw new IllegalArgumentException("not a store of this JVM: " + store);
    }

    /** The bound that the limiter shares with others. */
    LocalLimiterBuilder bound(MemoryBound bound) {
        this.bound = bound;
        return this;
    }

    @Override
    public LocalLimiterBuilder listener(DecisionListener listener) {
        this.listener = listener;
        return this;
    }

    @Override
    public LocalLimiterBuilder shadow() {
        this.shadow = true;
        return this;
    }

    @Override
    public LocalLimiterBuilder shedFrom(int percent) {
        return shedFrom(percent, ThreadLocalRandom.current().nextLong());
    }

    @Override
    public LocalLimiterBuilder shedFrom(int percent, long seed) {
        this.shedding = new Shedding(percent, seed);
        return this;
    }

    @Override
    public LocalLimiter build() {
        CompiledLimits compiled = CompiledLimits.of(limits, wallClock == null ? 0 : wallClock.getAsLong());
        LimiterCore core = new LimiterCore(compiled, ticker, wallClock, scheduler, bound, shedding);
        return new LocalLimiter(core, 100, shadow, listener, registration);
    }
}
