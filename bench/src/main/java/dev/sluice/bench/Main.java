package dev.sluice.bench;

import dev.sluice.bench.chaos.Chaos;
import dev.sluice.bench.core.CoreBench;
import dev.sluice.bench.core.MemoryFlood;
import dev.sluice.bench.redis.RedisBench;
import dev.sluice.bench.replay.ReplayBench;
import dev.sluice.bench.report.League;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.server.ServerBench;
import dev.sluice.bench.soak.Soak;
import dev.sluice.server.log.LogFormat;
import dev.sluice.server.log.ServerLog;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The command line; see {@link Options#USAGE}. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws IOException {
        ServerLog.to(OutputStream.nullOutputStream(), LogFormat.TEXT); // that a Redis is gone is no news here
        Options.orUsage(() -> run(args));
    }

    private static void run(String... args) throws IOException {
        String command = args.length == 0 ? "" : args[0];
        List<String> rest = Arrays.asList(args).subList(Math.min(1, args.length), args.length);
        switch (command) {
            case "core" -> CoreBench.run(Options.read(command, rest));
            case "redis" -> RedisBench.run(Options.read(command, rest));
            case "server" -> ServerBench.run(Options.read(command, rest));
            case "replay" -> ReplayBench.run(Options.read(command, rest));
            case "memory" -> memory(rest);
            case "league" -> league(rest);
            case "smoke" -> smoke(rest);
            case "soak" -> System.exit(Soak.run(rest, System.out));
            case "chaos" -> System.exit(Chaos.run(rest, System.out));
            case "", "-h", "--help", "help" -> System.out.print(Options.USAGE);
            default ->
                throw new Options.BadOption("unknown benchmark '" + command
                        + "'; there is: all, core, league, memory, redis, replay, server, soak, spring, smoke");
        }
    }

    private static void memory(List<String> args) {
        boolean brief = args.contains("--quick");
        List<String> named = args.stream().filter(arg -> !arg.equals("--quick")).toList();
        if (!MemoryFlood.ALGORITHMS.containsAll(named)) {
            throw new Options.BadOption(
                    "memory takes --quick and algorithms of " + MemoryFlood.ALGORITHMS + ", was given " + args);
        }
        for (String algorithm : named.isEmpty() ? MemoryFlood.ALGORITHMS : named) {
            System.out.print(MemoryFlood.fork(algorithm, brief ? "64m" : "512m", brief ? 1_000_000 : 100_000_000));
        }
    }

    private static void league(List<String> args) throws IOException {
        if (args.size() > 1) {
            throw new Options.BadOption("league takes one folder, was given " + args);
        }
        System.out.print(League.write(Path.of(args.isEmpty() ? "docs" : args.get(0))));
    }

    private static void smoke(List<String> args) {
        if (!args.isEmpty()) {
            throw new Options.BadOption("smoke takes no arguments, was given " + args);
        }
        CoreBench.smoke();
        RedisBench.smoke();
        ServerBench.smoke();
        ReplayBench.smoke();
    }
}
