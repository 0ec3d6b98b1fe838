package dev.sluice.bench.spring;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Requests and calls that are let through, and requests that are over the limit. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // by JMH
public class StarterBenchmarks {
    @Param
    public StarterRow row;

    @Param
    public Kind kind;

    private App app;
    private Api api;

    @Setup
    public void start() throws ServletException, IOException {
        app = App.start(row.starter, kind == Kind.REFUSAL ? 1 : App.PLENTY);
        api = app.api(row.api);
        if (kind == Kind.REFUSAL) {
            int unused = App.require(200, app.get(row.path));
        }
    }

    @TearDown
    public void stop() {
        app.close();
    }

    @Benchmark
    public int request() throws ServletException, IOException {
        return App.require(200, app.get(row.path));
    }

    @Benchmark
    public String call() {
        return api.hello();
    }

    @Benchmark
    public int refusal() throws ServletException, IOException {
        return App.require(429, app.get(row.path));
    }
}
