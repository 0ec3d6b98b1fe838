package dev.sluice.bench.spring;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Requests that are let through. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // by JMH
public class Requests {
    @Param
    public Row row;

    private App app;

    @Setup
    public void start() {
        app = App.start(row.party, App.PLENTY);
    }

    @TearDown
    public void stop() {
        app.close();
    }

    @Benchmark
    public int request() throws ServletException, IOException {
        return App.require(200, app.get(row.path));
    }
}
