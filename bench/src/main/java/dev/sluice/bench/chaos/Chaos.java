package dev.sluice.bench.chaos;

import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.RedisBinary;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** {@code chaos}: every fault in turn on real servers, and a table of what callers saw. */
public final class Chaos {
    private static final String USAGE = """
            usage: chaos [--short] [--timeout MILLIS] [--only REGEX]

              Starts real Redis servers on loopback, breaks them while traffic runs, and prints what callers saw.
              Ends with 1 if a bound is broken.

              --short           about a minute: faults last 1 s and not 5, and frozen masters are left out
              --timeout MILLIS  how long Redis has for an answer; 250 unless said, where the library's default is 50
              --only REGEX      which faults, matched anywhere in their names
            """;

    private static final List<Party> ONE = List.of(Party.LETTUCE);
    private static final List<Party> BOTH = List.of(Party.LETTUCE, Party.JEDIS);
    private static final List<Party> ALL = List.of(
            Party.LETTUCE,
            new Party(Client.LETTUCE, OnFailure.ALLOW),
            new Party(Client.LETTUCE, OnFailure.DENY),
            Party.JEDIS,
            new Party(Client.JEDIS, OnFailure.ALLOW),
            new Party(Client.JEDIS, OnFailure.DENY));

    private static final boolean FELT = true;
    private static final boolean NOT_FELT = false;

    private static final List<Scene> SHORT = List.of(
            new Outage("kill -9, restart", ALL, Forgets.NOTHING, FELT, Faults::killed),
            new Outage("SIGSTOP, SIGCONT", BOTH, Forgets.NOTHING, FELT, Faults::frozen),
            new Outage("SCRIPT FLUSH in a loop", ONE, Forgets.NOTHING, NOT_FELT, Faults::scriptsFlushed),
            new Outage("FLUSHALL", ONE, Forgets.EVERYTHING, NOT_FELT, Faults::flushed),
            new Outage("cluster master killed", ONE, Forgets.LAST_SECOND, FELT, Faults::clusterMasterKilled),
            new Outage("Sentinel master killed", ONE, Forgets.LAST_SECOND, FELT, Faults::sentinelMasterKilled),
            new Outage("MAXMEMORY reached", ONE, Forgets.NOTHING, FELT, Faults::full),
            new WrongClock(),
            new Outage("refused at start-up", BOTH, Forgets.NOTHING, FELT, Faults::notThereYet));

    /** A frozen master is worse than a dead one: no connection ends. It is found out in seconds, not in a moment. */
    private static final List<Scene> ONLY_LONG = List.of(
            new Outage("cluster master frozen", BOTH, Forgets.LAST_SECOND, FELT, Faults::clusterMasterFrozen),
            new Outage("Sentinel master frozen", BOTH, Forgets.LAST_SECOND, FELT, Faults::sentinelMasterFrozen));

    /** Held, or else they are made anew, and talk. */
    private static final List<Logger> LOGGERS =
            List.of(Logger.getLogger("dev.sluice.redis"), Logger.getLogger("io.lettuce"), Logger.getLogger("io.netty"));

    private Chaos() {}

    /** What is played. */
    static List<Scene> scenes(Effort effort) {
        List<Scene> all = new ArrayList<>(SHORT);
        if (effort.fault().compareTo(Effort.SHORT.fault()) > 0) {
            all.addAll(ONLY_LONG);
        }
        return all;
    }

    /** Runs the command and returns its exit code: 0 if all held, 1 if something did not, 2 if asked for wrongly. */
    public static int run(List<String> args, PrintStream out) {
        Effort effort = args.contains("--short") ? Effort.SHORT : Effort.LONG;
        Pattern only = Pattern.compile("");
        try {
            for (int i = 0; i < args.size(); i++) {
                switch (args.get(i)) {
                    case "--short" -> {}
                    case "--timeout" -> effort = effort.withTimeout(Duration.ofMillis(Long.parseLong(args.get(++i))));
                    case "--only" -> only = Pattern.compile(args.get(++i), Pattern.CASE_INSENSITIVE);
                    default -> throw new IllegalArgumentException("unknown argument '" + args.get(i) + "'");
                }
            }
        } catch (IndexOutOfBoundsException e) {
            return asked("a value is missing", out);
        } catch (NumberFormatException | PatternSyntaxException e) {
            return asked("not understood: " + e.getMessage(), out);
        } catch (IllegalArgumentException e) {
            return asked(String.valueOf(e.getMessage()), out);
        }
        return run(effort, only, out);
    }

    /** Nobody wants to read that Redis does not answer, a thousand times. */
    static void silenceLogs() {
        LOGGERS.forEach(logger -> logger.setLevel(Level.OFF));
    }

    /** Lets classes be loaded and compiled before anything is measured. */
    static void warmUp(Stalls stalls) {
        Duration moment = Duration.ofMillis(500);
        Effort effort = new Effort(Effort.SHORT.timeout(), moment, moment, Duration.ZERO, Effort.SHORT.permits());
        new Outage("", ALL, Forgets.NOTHING, NOT_FELT, Faults::killed).play(effort, stalls);
    }

    private static int asked(String wrongly, PrintStream out) {
        out.println("chaos: " + wrongly);
        out.print(USAGE);
        return 2;
    }

    private static int run(Effort effort, Pattern only, PrintStream out) {
        silenceLogs();
        List<Scene> scenes = scenes(effort).stream()
                .filter(scene -> only.matcher(scene.name()).find())
                .toList();
        List<Row> rows = new ArrayList<>();
        try (Stalls stalls = new Stalls()) {
            out.println("warming up ...");
            warmUp(stalls);
            for (Scene scene : scenes) {
                out.printf("%d of %d: %s ...%n", scenes.indexOf(scene) + 1, scenes.size(), scene.name());
                rows.addAll(scene.play(effort, stalls));
            }
            out.println();
            out.print(Table.of(rows, effort, RedisBinary.standard(), stalls));
        }
        List<String> breaches =
                rows.stream().flatMap(row -> row.breaches().stream()).toList();
        out.println(breaches.isEmpty() ? "Every bound holds." : "Broken:");
        breaches.forEach(breach -> out.println("  " + breach));
        return breaches.isEmpty() ? 0 : 1;
    }
}
