package dev.sluice.bench.spring;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Calls of a bean's method that are let through. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // by JMH
public class Calls {
    @Param
    public Row row;

    private App app;
    private Api api;

    @Setup
    public void start() {
        app = App.start(row.party, App.PLENTY);
        api = app.api(row.api);
    }

    @TearDown
    public void stop() {
        app.close();
    }

    @Benchmark
    public String call() {
        return api.hello();
    }
}
