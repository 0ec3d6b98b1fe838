package dev.sluice.server;

import dev.sluice.simulate.Picture;
import dev.sluice.simulate.Scenario;
import dev.sluice.simulate.Simulation;
import dev.sluice.simulate.SummaryTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs limits on a traffic shape, prints what became of the requests and draws it. */
@Command(
        name = "simulate",
        abbreviateSynopsis = true,
        sortOptions = false,
        description = {
            "Sends the same made-up traffic through several algorithms, on a clock of its own and through the real"
                    + " limiters, prints how many requests each let through, and draws it all as one SVG picture.",
            ""
        },
        footer = {
            "",
            "Traffic: steady      the same all the time",
            "         burst       a calm flow with sudden bursts",
            "         boundary    a burst just before a window ends and one just after",
            "         flash-sale  calm, a ramp, a peak and a long tail",
            "         on-off      on for a period, off for a period",
            "",
            "Algorithms: fixed-window, fixed-window-aligned, sliding-window, sliding-window-weighted,",
            "            sliding-log, token-bucket, leaky-bucket, leaky-bucket-queue, concurrency",
            "",
            "Durations are a number and us, ms, s, m, h or d: 250ms, 10s, 1m.",
            "The same options and seed always give the same picture.",
            "",
            "  sluice simulate --permits 100 --per 1m --traffic flash-sale --duration 5m",
            "  sluice simulate --algorithm token-bucket,sliding-log --burst 30 --traffic burst --out burst.svg"
        })
final class SimulateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--algorithm", paramLabel = "A[,A...]", description = "Which to compare. Default: all.")
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

    @Option(names = "--duration", paramLabel = "DURATION", description = "How long it lasts. Default: four periods.")
    private @Nullable String duration;

    @Option(
            names = "--rate",
            paramLabel = "N[/DURATION]",
            description = "Requests per second, or per duration as in 20/10s. Default: twice the limit.")
    private @Nullable String rate;

    @Option(names = "--seed", paramLabel = "N", description = "Decides the jitter of the arrivals. Default: 1.")
    private @Nullable String seed;

    @Option(
            names = "--out",
            paramLabel = "FILE.svg",
            description =
                    "Where the picture goes; - for standard output instead of the table. Default: ${DEFAULT-VALUE}.",
            defaultValue = "simulation.svg")
    private String out = "simulation.svg";

    @SuppressWarnings("UnusedVariable") // picocli shows it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    private boolean help;

    @Override
    public Integer call() throws IOException {
        Scenario scenario;
        List<Simulation> simulations;
        try {
            scenario = Scenario.parse(values());
            simulations = scenario.run();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        PrintWriter console = spec.commandLine().getOut();
        String picture = Picture.draw(scenario.summary(), simulations, 860);
        if (out.equals("-")) {
            console.print(picture);
            console.flush();
            return 0;
        }
        Path file = write(picture);
        console.print(SummaryTable.of(scenario, simulations));
        console.println("picture: " + file);
        return 0;
    }

    private Path write(String picture) throws IOException {
        try {
            return Files.writeString(Path.of(out), picture);
        } catch (InvalidPathException e) {
            throw new ParameterException(spec.commandLine(), "--out is not a path: '" + out + "'", e);
        } catch (IOException e) {
            throw new IOException(
                    "cannot write the picture to '" + out + "': " + e.getClass().getSimpleName(), e);
        }
    }

    private Map<String, String> values() {
        Map<String, String> values = new HashMap<>();
        put(values, "algorithm", algorithm);
        put(values, "permits", permits);
        put(values, "per", per);
        put(values, "burst", burst);
        put(values, "capacity", capacity);
        put(values, "slices", slices);
        put(values, "hold", hold);
        put(values, "traffic", traffic);
        put(values, "duration", duration);
        put(values, "rate", rate);
        put(values, "seed", seed);
        return values;
    }

    private static void put(Map<String, String> values, String name, @Nullable String value) {
        if (value != null) {
            values.put(name, value);
        }
    }
}
