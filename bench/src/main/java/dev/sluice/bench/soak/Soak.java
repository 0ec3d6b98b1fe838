package dev.sluice.bench.soak;

import dev.sluice.bench.report.Programs;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.server.Child;
import dev.sluice.redis.servers.RedisServer;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code bench soak}: good clients at a fixed rate, alone and then beside hostile ones, on one server with a small heap.
 *
 * <p>Why the rate is fixed: hostile clients run on the machine of the server and take processor time from it and from the
 * good clients, whatever the server does. At a rate well below what the server can do, the processors suffice for all, and a
 * request that is late or has no answer is the server's fault.
 */
public final class Soak {
    private static final String USAGE = """
            usage: bench soak [--short]

              Good clients ask at a fixed rate, alone and then beside hostile ones; prints what they saw.
              Takes ten minutes; ends with 1 if a bound is broken.

              --short  about half a minute
            """;

    private static final String RULES = """
            rules:
              - { name: good, when: { path: /good }, key: [user], limits: [1000000 per 1s] }
              - { name: wait, when: { path: /wait }, key: [user], limits: [1 at once], on-exceed: wait up to 5s, lease: 2s }
              - { name: flood-log, when: { path: /flood }, key: [ip], limits: [5 per 1m sliding-log] }
              - { name: flood-window, when: { path: /flood }, key: [ip], limits: [100 per 1d sliding-window] }
            """;

    private static final int PER_SECOND = 400;
    private static final int HEAP_MEGABYTES = 256;
    /** The heap, and what a JVM takes beside it: code, classes, threads and buffers. */
    private static final int MAX_MEGABYTES = HEAP_MEGABYTES + 300;

    private static final long MAX_P99_MICROS = 1_000_000;
    private static final double MIN_RATE = 0.8;

    /** A row of the table. */
    record Phase(String name, GoodClients.Seen seen, double megabytes) {}

    private Soak() {}

    /** Runs the command and returns its exit code: 0 if every bound holds, 1 if one is broken, 2 for wrong options. */
    public static int run(List<String> args, PrintStream out) {
        if (!List.of("--short").containsAll(args)) {
            out.println("soak: unknown arguments " + args);
            out.print(USAGE);
            return 2;
        }
        boolean brief = args.contains("--short");
        return run(Duration.ofSeconds(brief ? 8 : 120), Duration.ofSeconds(brief ? 20 : 480), out);
    }

    static int run(Duration alone, Duration attacked, PrintStream out) {
        List<Phase> phases = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        try (Child server = server()) {
            GoodClients.ask(server.port(), PER_SECOND, Duration.ofSeconds(4)); // warms up
            phases.add(new Phase("alone", GoodClients.ask(server.port(), PER_SECOND, alone), server.megabytes()));
            List<String> attacks = new ArrayList<>();
            try (HostileClients hostile = new HostileClients(server.port())) {
                GoodClients.ask(server.port(), PER_SECOND, Duration.ofSeconds(4)); // until all of them are there
                phases.add(new Phase(
                        "beside hostile clients",
                        GoodClients.ask(server.port(), PER_SECOND, attacked),
                        server.megabytes()));
                for (Hostile kind : Hostile.values()) {
                    attacks.add(kind.label + " " + hostile.connections(kind));
                    if (hostile.connections(kind) == 0) {
                        broken.add("no connection for " + kind.label);
                    }
                }
            }
            phases.add(new Phase(
                    "after them",
                    GoodClients.ask(server.port(), PER_SECOND, Duration.ofSeconds(4)),
                    server.megabytes()));
            out.print(report(phases, attacks));
        }
        broken.addAll(breaches(phases));
        out.println(broken.isEmpty() ? "Every bound holds." : "Broken:");
        broken.forEach(each -> out.println("  " + each));
        return broken.isEmpty() ? 0 : 1;
    }

    private static Child server() {
        try {
            Path folder = Programs.folder();
            Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
            int port = RedisServer.freePort();
            List<String> words = Programs.java(
                    List.of("-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError", "-Xmx" + HEAP_MEGABYTES + "m"),
                    "dev.sluice.server.cli.Main",
                    "serve",
                    "--rules=" + rules,
                    "--host=127.0.0.1",
                    "--drain=0",
                    "--port=" + port,
                    "--admin-port=0");
            return Child.start("sluice", port, folder, words, "/healthz");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare the server", e);
        }
    }

    private static String report(List<Phase> phases, List<String> attacks) {
        return """
                Good clients ask %d times a second; the server has a heap of %d MB.

                %s
                - answered: with status 200 within 10 s. All must be, with and without hostile clients.
                - p99: from when a request was due; bound: %d ms. The rate must reach %.0f %% of that alone.
                - memory: of the process; bound: %d MB.
                - hostile connections: %s.

                """.formatted(
                        PER_SECOND,
                        HEAP_MEGABYTES,
                        Table.<Phase>of("", "good clients", Phase::name)
                                .text("asked", phase -> "%,d".formatted(phase.seen.asked()))
                                .text("answered", phase -> "%,d".formatted(phase.seen.answered()))
                                .text("per second", phase -> "%.1f".formatted(phase.seen.perSecond()))
                                .text("p50, ms", phase -> "%.2f".formatted(phase.seen.p50Micros() / 1e3))
                                .text("p99, ms", phase -> "%.2f".formatted(phase.seen.p99Micros() / 1e3))
                                .text("longest, ms", phase -> "%.2f".formatted(phase.seen.maxMicros() / 1e3))
                                .text("memory, MB", phase -> "%.0f".formatted(phase.megabytes))
                                .rows(phases)
                                .grid(),
                        MAX_P99_MICROS / 1000,
                        MIN_RATE * 100,
                        MAX_MEGABYTES,
                        String.join(", ", attacks));
    }

    private static List<String> breaches(List<Phase> phases) {
        List<String> broken = new ArrayList<>();
        double alone = phases.get(0).seen.perSecond();
        for (Phase phase : phases) {
            GoodClients.Seen seen = phase.seen;
            if (seen.answered() < seen.asked()) {
                broken.add(phase.name + ": " + (seen.asked() - seen.answered()) + " requests without an answer");
            }
            if (seen.perSecond() < MIN_RATE * alone) {
                broken.add(phase.name + ": %.1f per second, alone %.1f".formatted(seen.perSecond(), alone));
            }
            if (seen.p99Micros() > MAX_P99_MICROS) {
                broken.add(phase.name + ": p99 is " + seen.p99Micros() / 1000 + " ms");
            }
            if (phase.megabytes > MAX_MEGABYTES) {
                broken.add(phase.name + ": %.0f MB".formatted(phase.megabytes));
            }
        }
        return broken;
    }
}
