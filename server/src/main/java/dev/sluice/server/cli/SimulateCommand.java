package dev.sluice.server.cli;

import dev.sluice.simulate.Picture;
import dev.sluice.simulate.Scenario;
import dev.sluice.simulate.Simulation;
import dev.sluice.simulate.SummaryTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Simulates limits on a traffic shape, prints a table and draws a picture. */
@Command(
        name = "simulate",
        abbreviateSynopsis = true,
        sortOptions = false,
        description = {
            "Simulates traffic on several algorithms: the limiters are the real ones, only the clock is simulated."
                    + " Prints how many requests each algorithm allowed, and draws them as one SVG picture.",
            ""
        },
        footer = {
            "",
            "Traffic: steady      the same all the time",
            "         burst       a calm flow with sudden bursts",
            "         boundary    a burst just before a window ends and one just after",
            "         flash-sale  calm, a ramp, a peak and a long tail",
            "         on-off      on for a period, off for a period",
            "         drawn       as many as --drawn says",
            "",
            "Algorithms: fixed-window, fixed-window-aligned, sliding-window, sliding-window-weighted,",
            "            sliding-log, token-bucket, leaky-bucket, leaky-bucket-queue, concurrency",
            "",
            "Durations are written as in a rule file: 250ms, 10s, 1m, 1h30m, 1d, 1w.",
            "The same options and seed always give the same picture.",
            "",
            "  sluice simulate --permits 100 --per 1m --traffic flash-sale --duration 5m",
            "  sluice simulate --algorithm token-bucket,sliding-log --burst 30 --traffic burst --out burst.svg"
        })
@SuppressWarnings("UnusedVariable") // the options of a scenario are read by their names
final class SimulateCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--algorithm", paramLabel = "A[,A...]", description = "The algorithms to compare. Default: all.")
    private @Nullable String algorithm;

    @Option(names = "--permits", paramLabel = "N", description = "Permits per period. Default: 10.")
    private @Nullable String permits;

    @Option(names = "--per", paramLabel = "DURATION", description = "The period. Default: 10s.")
    private @Nullable String per;

    @Option(names = "--burst", paramLabel = "N", description = "Size of the token bucket. Default: the permits.")
    private @Nullable String burst;

    @Option(names = "--capacity", paramLabel = "N", description = "Size of the leaky bucket. Default: the permits.")
    private @Nullable String capacity;

    @Option(names = "--slices", paramLabel = "N", description = "Slices of a sliding window. Default: 10.")
    private @Nullable String slices;

    @Option(
            names = "--hold",
            paramLabel = "DURATION",
            description = "How long admitted work runs, for concurrency. Default: a quarter of the period.")
    private @Nullable String hold;

    @Option(names = "--traffic", paramLabel = "SHAPE", description = "The shape of the traffic. Default: boundary.")
    private @Nullable String traffic;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            description = "How long the traffic lasts. Default: four periods.")
    private @Nullable String duration;

    @Option(
            names = "--rate",
            paramLabel = "N[/DURATION]",
            description = "Requests per second, or per duration as in 20/10s. Default: twice the limit.")
    private @Nullable String rate;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the random arrivals. Default: 1.")
    private @Nullable String seed;

    @Option(
            names = "--drawn",
            paramLabel = "N[,N...]",
            description =
                    "How many requests come in each equal part of the duration, as in 0,5,20, for --traffic drawn.")
    private @Nullable String drawn;

    @Option(
            names = "--out",
            paramLabel = "FILE.svg",
            description =
                    "The file for the picture; - writes it to standard output in place of the table. Default: ${DEFAULT-VALUE}.",
            defaultValue = "simulation.svg")
    private String out = "simulation.svg";

    @Override
    public Integer call() throws IOException {
        Scenario scenario;
        List<Simulation> simulations;
        try {
            scenario = Scenario.parse(common.given(Scenario.NAMES));
            simulations = scenario.run();
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(e);
        }
        PrintWriter console = common.out();
        String picture = Picture.draw(scenario.summary(), simulations, 860);
        if (out.equals("-")) {
            console.print(picture);
            console.flush();
            return 0;
        }
        Path file = new OutputFile(common, "--out", "picture", out).write(picture);
        console.print(SummaryTable.of(scenario, simulations));
        console.println("picture: " + file);
        return 0;
    }
}
