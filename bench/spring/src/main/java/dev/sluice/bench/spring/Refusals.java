package dev.sluice.bench.spring;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Requests that are over the limit. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // by JMH
public class Refusals {
    @Param
    public Row row;

    private App app;

    @Setup
    public void start() throws ServletException, IOException {
        app = App.start(row.party, 1);
        int unused = App.require(200, app.get(row.path));
    }

    @TearDown
    public void stop() {
        app.close();
    }

    @Benchmark
    public int request() throws ServletException, IOException {
        return App.require(429, app.get(row.path));
    }
}
