package dev.sluice.bench.chaos;

import dev.sluice.OnFailure;
import dev.sluice.bench.report.Options;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.RedisBinary;
import dev.sluice.redis.servers.RedisServer;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** {@code chaos}: every fault in turn on real servers, and a table of what callers saw. */
public final class Chaos {
    private static final String USAGE = """
        usage: chaos [--short] [--timeout MILLIS] [--only REGEX]

          Starts real Redis servers on loopback, breaks them while traffic runs, and prints what callers saw.
          Ends with 1 if a bound is broken.

          --short           about a minute: faults last 1 s instead of 5, and three of a cluster or Sentinel are left out
          --timeout MILLIS  how long Redis has for an answer: 250 by default, where the library's default is 50
          --only REGEX      run only faults whose names match anywhere
        """;

    private static final List<Caller> ONE = List.of(Caller.LETTUCE);
    private static final List<Caller> BOTH = List.of(Caller.LETTUCE, Caller.JEDIS);
    private static final List<Caller> ALL = List.of(
            Caller.LETTUCE,
            new Caller(Client.LETTUCE, OnFailure.ALLOW),
            new Caller(Client.LETTUCE, OnFailure.DENY),
            Caller.JEDIS,
            new Caller(Client.JEDIS, OnFailure.ALLOW),
            new Caller(Client.JEDIS, OnFailure.DENY));

    private static final boolean FELT = true;
    private static final boolean NOT_FELT = false;

    private static final List<Scenario> SHORT = List.of(
            new Outage("kill -9, restart", ALL, Forgets.NOTHING, FELT, Fault::killed),
            new Outage("SIGSTOP, SIGCONT", BOTH, Forgets.NOTHING, FELT, Fault::frozen),
            new Outage("SCRIPT FLUSH in a loop", ONE, Forgets.NOTHING, NOT_FELT, Fault::scriptsFlushed),
            new Outage("FLUSHALL", ONE, Forgets.EVERYTHING, NOT_FELT, Fault::flushed),
            masterGone("cluster master killed", ONE, () -> Fault.clusterMasterGone(RedisServer::kill)),
            masterGone("Sentinel master killed", ONE, () -> Fault.sentinelMasterGone(RedisServer::kill)),
            masterGone("master demoted", BOTH, Fault::demoted),
            new Outage("late replies", BOTH, Forgets.NOTHING, FELT, Fault::late),
            new Outage("late scripts, quick pings", BOTH, Forgets.NOTHING, FELT, Fault::lateScripts),
            new Outage("nonsense replies", BOTH, Forgets.NOTHING, FELT, Fault::nonsense),
            new Outage("silent connections", BOTH, Forgets.NOTHING, FELT, Fault::silent),
            new Outage("cluster node frozen", BOTH, Forgets.NOTHING, FELT, Fault::clusterNodeFrozen),
            new ClosedWhileWaiting(),
            new Outage("MAXMEMORY reached", ONE, Forgets.NOTHING, FELT, Fault::full),
            new WrongClock(),
            new OtherLimits(),
            new Outage("refused at start-up", BOTH, Forgets.NOTHING, FELT, Fault::notThereYet));

    /** What takes long. A frozen master is worse than a dead one: no connection ends, and it is found out in seconds. */
    private static final List<Scenario> ONLY_LONG = List.of(
            new Outage("nonsense of a cluster node", BOTH, Forgets.NOTHING, FELT, Fault::clusterNodeNonsense),
            masterGone("cluster master frozen", BOTH, () -> Fault.clusterMasterGone(RedisServer::pause)),
            masterGone("Sentinel master frozen", BOTH, () -> Fault.sentinelMasterGone(RedisServer::pause)));

    private Chaos() {}

    private static Outage masterGone(String name, List<Caller> callers, Supplier<Fault> start) {
        return new Outage(name, callers, Forgets.LAST_SECOND, FELT, start);
    }

    /** The scenarios of a run. */
    static List<Scenario> scenarios(Schedule schedule) {
        List<Scenario> all = new ArrayList<>(SHORT);
        if (schedule.fault().compareTo(Schedule.SHORT.fault()) > 0) {
            all.addAll(ONLY_LONG);
        }
        return all;
    }

    /** Runs the command and returns its exit code: 0 if every bound holds, 1 if one is broken, 2 for wrong options. */
    public static int run(List<String> args, PrintStream out) {
        try {
            Schedule schedule = args.contains("--short") ? Schedule.SHORT : Schedule.LONG;
            Pattern only = Pattern.compile("");
            for (int i = 0; i < args.size(); i++) {
                switch (args.get(i)) {
                    case "--short" -> {}
                    case "--timeout" -> schedule = schedule.withTimeout(millis(Options.valueOf(args, i++)));
                    case "--only" -> only = Options.pattern(Options.valueOf(args, i++));
                    default -> throw new Options.BadOption("unknown argument '" + args.get(i) + "'");
                }
            }
            return run(schedule, only, out);
        } catch (Options.BadOption e) {
            out.println("chaos: " + e.getMessage());
            out.print(USAGE);
            return 2;
        }
    }

    private static Duration millis(String value) {
        if (!value.matches("[1-9]\\d{0,8}")) {
            throw new Options.BadOption("--timeout '" + value + "' is not a number of milliseconds");
        }
        return Duration.ofMillis(Long.parseLong(value));
    }

    /** Lets classes be loaded and compiled before anything is measured. */
    static void warmUp(Stalls stalls) {
        Duration moment = Duration.ofMillis(500);
        Schedule brief =
                new Schedule(Schedule.SHORT.timeout(), moment, moment, Duration.ZERO, Schedule.SHORT.permits());
        new Outage("", ALL, Forgets.NOTHING, NOT_FELT, Fault::killed).run(brief, stalls);
    }

    private static int run(Schedule schedule, Pattern only, PrintStream out) {
        List<Scenario> scenarios = scenarios(schedule).stream()
                .filter(scenario -> only.matcher(scenario.name()).find())
                .toList();
        List<CallerResult> results = new ArrayList<>();
        try (Stalls stalls = new Stalls()) {
            out.println("warming up ...");
            warmUp(stalls);
            for (Scenario scenario : scenarios) {
                out.printf("%d of %d: %s ...%n", scenarios.indexOf(scenario) + 1, scenarios.size(), scenario.name());
                results.addAll(scenario.run(schedule, stalls));
            }
            out.println();
            out.print(ChaosReport.of(results, schedule, RedisBinary.standard(), stalls));
        }
        List<String> breaches =
                results.stream().flatMap(result -> result.breaches().stream()).toList();
        out.println(breaches.isEmpty() ? "Every bound holds." : "Broken:");
        breaches.forEach(breach -> out.println("  " + breach));
        return breaches.isEmpty() ? 0 : 1;
    }
}
