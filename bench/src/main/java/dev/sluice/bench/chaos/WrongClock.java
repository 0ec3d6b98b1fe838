package dev.sluice.bench.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.Limit;
import dev.sluice.redis.RedisCounters;
import dev.sluice.redis.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Two clients of one limit, one of which has the wrong time. The limit turns at midnight, the only kind for which a client
 * tells Redis what it takes the time to be: a first guess, which the server's clock corrects.
 *
 * <p>With libfaketime the one is a JVM whose clock is an hour ahead, at half past eleven in the night: it guesses
 * tomorrow. Without, its limiter was made just before midnight and is asked after it: it guesses yesterday.
 */
final class WrongClock implements Scene {
    private static final String LIMITER = "chaos-clock";
    private static final long DAY = Duration.ofDays(1).toSeconds();
    private static final Duration CHILD_TO_START = Duration.ofSeconds(60);
    private static final Duration TO_MIDNIGHT = Duration.ofSeconds(2);

    @Override
    public String name() {
        return library().isPresent() ? "clock an hour ahead" : "clock behind midnight";
    }

    @Override
    public List<Row> play(Effort effort, Stalls stalls) {
        try (RedisServer server = RedisServer.start()) {
            Optional<Path> library = library();
            return List.of(
                    library.isPresent()
                            ? inAnotherProcess(library.get(), server.url(), effort, stalls)
                            : madeBeforeMidnight(server.url(), effort, stalls));
        }
    }

    // ---- With libfaketime

    /** Debian's place for it, or what SLUICE_FAKETIME names. */
    private static Optional<Path> library() {
        return Stream.of(
                        Optional.ofNullable(System.getenv("SLUICE_FAKETIME")).orElse(""),
                        "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
                        "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
                        "/usr/lib64/faketime/libfaketime.so.1")
                .filter(path -> !path.isEmpty())
                .map(Path::of)
                .filter(Files::isReadable)
                .findFirst();
    }

    private static Row inAnotherProcess(Path library, String url, Effort effort, Stalls stalls) {
        ZoneOffset zone = zoneWithMidnightIn(Duration.ofMinutes(30));
        try (Traffic right = prepare(url, zone, effort.permits(), effort.timeout())) {
            right.begin();
            long began = System.nanoTime();
            Process child = start(library, url, zone, effort);
            List<Call> calls = new ArrayList<>(told(child));
            Row.Setting setting =
                    new Row.Setting("clock an hour ahead", effort, Forgets.NOTHING, false, began, began, began);
            calls.addAll(right.stop());
            return Row.of(setting, Party.LETTUCE, calls, right.counters(), right.thrown(), stalls);
        }
    }

    private static Process start(Path library, String url, ZoneOffset zone, Effort effort) {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                WrongClock.class.getName(),
                url,
                Integer.toString(zone.getTotalSeconds()),
                Integer.toString(effort.permits()),
                Long.toString(effort.timeout().toMillis()),
                Long.toString(effort.before().plus(effort.after()).toMillis()),
                Long.toString(System.currentTimeMillis()));
        builder.environment().put("LD_PRELOAD", library.toString());
        builder.environment().put("FAKETIME", "+1h");
        builder.environment().put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        builder.environment().put("FAKETIME_FORCE_MONOTONIC_FIX", "0"); // or else a JVM does not sleep
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a JVM", e);
        }
    }

    private static List<Call> told(Process child) {
        child.onExit().orTimeout(CHILD_TO_START.toSeconds(), TimeUnit.SECONDS).whenComplete((unused, late) -> {
            if (late != null) {
                child.destroyForcibly();
            }
        });
        try {
            List<Call> calls = new String(child.getInputStream().readAllBytes(), UTF_8)
                    .lines()
                    .map(WrongClock::call)
                    .toList();
            if (child.waitFor() != 0 || calls.isEmpty()) {
                throw new IllegalStateException("the JVM with the wrong clock ended with " + child.exitValue());
            }
            return calls;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what the JVM with the wrong clock says", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Asks with a wrong clock, and prints the calls. Run by the other process. */
    public static void main(String[] args) {
        long aheadMillis = System.currentTimeMillis() - Long.parseLong(args[5]);
        if (aheadMillis < TimeUnit.MINUTES.toMillis(59)) {
            throw new IllegalStateException("the clock should be an hour ahead, and is so by " + aheadMillis + " ms");
        }
        ZoneOffset zone = ZoneOffset.ofTotalSeconds(Integer.parseInt(args[1]));
        Duration timeout = Duration.ofMillis(Long.parseLong(args[3]));
        try (Traffic wrong = prepare(args[0], zone, Integer.parseInt(args[2]), timeout)) {
            wrong.begin();
            Scene.pause(Duration.ofMillis(Long.parseLong(args[4])));
            for (Call call : wrong.stop()) {
                System.out.println(
                        call.beganNanos() + " " + call.endedNanos() + " " + call.key() + " " + call.answer());
            }
        }
    }

    /** Both processes count nanoseconds from the same instant. */
    private static Call call(String line) {
        String[] words = line.split(" ", -1);
        return new Call(
                Long.parseLong(words[0]),
                Long.parseLong(words[1]),
                Integer.parseInt(words[2]),
                Call.Answer.valueOf(words[3]));
    }

    // ---- Without

    private static Row madeBeforeMidnight(String url, Effort effort, Stalls stalls) {
        ZoneOffset zone = zoneWithMidnightIn(TO_MIDNIGHT);
        try (Traffic wrong = prepare(url, zone, effort.permits(), effort.timeout())) {
            Scene.pause(TO_MIDNIGHT.plusMillis(100));
            try (Traffic right = prepare(url, zone, effort.permits(), effort.timeout())) {
                long began = System.nanoTime();
                wrong.begin();
                right.begin();
                Scene.pause(effort.before().plus(effort.after()));
                List<Call> calls = new ArrayList<>(wrong.stop());
                calls.addAll(right.stop());
                RedisCounters counters = wrong.counters();
                Row.Setting setting =
                        new Row.Setting("clock behind midnight", effort, Forgets.NOTHING, false, began, began, began);
                return Row.of(setting, Party.LETTUCE, calls, counters, wrong.thrown(), stalls);
            }
        }
    }

    private static Traffic prepare(String url, ZoneOffset zone, int permits, Duration timeout) {
        Limit limit = Limit.fixedWindow(permits, ChronoUnit.DAYS, zone);
        return Traffic.prepare(Party.LETTUCE, url, LIMITER, limit, timeout, key -> true);
    }

    /** Somewhere on earth, or nearly, it will be midnight then. */
    private static ZoneOffset zoneWithMidnightIn(Duration left) {
        long then = Instant.now().plus(left).getEpochSecond();
        long ahead = Math.floorMod(-then, DAY);
        return ZoneOffset.ofTotalSeconds((int) (ahead > DAY / 2 ? ahead - DAY : ahead));
    }
}
