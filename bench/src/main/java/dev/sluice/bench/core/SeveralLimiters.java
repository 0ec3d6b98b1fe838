package dev.sluice.bench.core;

import dev.sluice.Charge;
import dev.sluice.Decision;
import dev.sluice.Limiter;
import dev.sluice.Store;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One request to several token buckets, every call allowed: all or none in one step, beside a call to each. */
public class SeveralLimiters {
    /** The limiters, and the charges of one request. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // set before it is measured
    public static class Subject {
        @Param
        public Contender contender;

        Store store;
        List<Limiter> limiters;
        List<Charge> charges;

        @Setup
        public void open() {
            store = Store.local();
            int count = contender == Contender.SEPARATE_2 || contender == Contender.TOGETHER_2 ? 2 : 4;
            limiters = IntStream.range(0, count)
                    .mapToObj(i -> store.limiter("limiter " + i, Limiters.limits(Contender.TOKEN_BUCKET, Supply.OPEN)))
                    .toList();
            charges = limiters.stream()
                    .map(limiter -> new Charge(limiter, "key", 1))
                    .toList();
        }
    }

    @Benchmark
    public boolean separateCalls(Subject subject) {
        boolean allowed = true;
        for (int i = 0; i < subject.limiters.size(); i++) {
            allowed &= subject.limiters.get(i).decide("key", 1).allowed();
        }
        return Expect.allowed(allowed);
    }

    @Benchmark
    public boolean decideAll(Subject subject) {
        boolean allowed = true;
        List<Decision> decisions = subject.store.decideAll(subject.charges).join();
        for (int i = 0; i < decisions.size(); i++) {
            allowed &= decisions.get(i).allowed();
        }
        return Expect.allowed(allowed);
    }
}
