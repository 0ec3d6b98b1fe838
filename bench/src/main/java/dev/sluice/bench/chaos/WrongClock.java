package dev.sluice.bench.chaos;

import dev.sluice.Limit;
import dev.sluice.bench.report.Programs;
import dev.sluice.redis.servers.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
final class WrongClock implements Scenario {
    private static final String LIMITER = "chaos-clock";
    private static final long DAY = Duration.ofDays(1).toSeconds();
    private static final Duration TO_MIDNIGHT = Duration.ofSeconds(2);

    @Override
    public String name() {
        return library().isPresent() ? "clock an hour ahead" : "clock behind midnight";
    }

    @Override
    public List<CallerResult> run(Schedule schedule, Stalls stalls) {
        try (RedisServer server = RedisServer.start()) {
            Optional<Path> library = library();
            return List.of(
                    library.isPresent()
                            ? inAnotherProcess(library.get(), server.url(), schedule, stalls)
                            : madeBeforeMidnight(server.url(), schedule, stalls));
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

    private static CallerResult inAnotherProcess(Path library, String url, Schedule schedule, Stalls stalls) {
        ZoneOffset zone = zoneWithMidnightIn(Duration.ofMinutes(30));
        try (Traffic right = prepare(url, zone, schedule.permits(), schedule.timeout())) {
            right.begin();
            long began = System.nanoTime();
            List<Call> calls = new ArrayList<>(Programs.output(child(library, url, zone, schedule), 0)
                    .lines()
                    .map(WrongClock::call)
                    .toList());
            if (calls.isEmpty()) {
                throw new IllegalStateException("the JVM with the wrong clock made no calls");
            }
            calls.addAll(right.stop());
            return CallerResult.of(setting("clock an hour ahead", schedule, began), right, calls, stalls);
        }
    }

    private static CallerResult.Setting setting(String fault, Schedule schedule, long began) {
        return new CallerResult.Setting(fault, schedule, Forgets.NOTHING, false, began, began, began);
    }

    private static ProcessBuilder child(Path library, String url, ZoneOffset zone, Schedule schedule) {
        ProcessBuilder builder = new ProcessBuilder(Programs.java(
                List.of(),
                WrongClock.class.getName(),
                url,
                Integer.toString(zone.getTotalSeconds()),
                Integer.toString(schedule.permits()),
                Long.toString(schedule.timeout().toMillis()),
                Long.toString(schedule.before().plus(schedule.after()).toMillis()),
                Long.toString(System.currentTimeMillis())));
        builder.environment()
                .putAll(Map.of(
                        "LD_PRELOAD", library.toString(),
                        "FAKETIME", "+1h",
                        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                        "FAKETIME_FORCE_MONOTONIC_FIX", "0")); // or else a JVM does not sleep
        return builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    }

    /** Calls with a wrong clock, and prints the calls. Run by the other process. */
    public static void main(String[] args) {
        long aheadMillis = System.currentTimeMillis() - Long.parseLong(args[5]);
        if (aheadMillis < TimeUnit.MINUTES.toMillis(59)) {
            throw new IllegalStateException("the clock should be an hour ahead, and is so by " + aheadMillis + " ms");
        }
        ZoneOffset zone = ZoneOffset.ofTotalSeconds(Integer.parseInt(args[1]));
        Duration timeout = Duration.ofMillis(Long.parseLong(args[3]));
        try (Traffic wrong = prepare(args[0], zone, Integer.parseInt(args[2]), timeout)) {
            wrong.begin();
            Scenario.pause(Duration.ofMillis(Long.parseLong(args[4])));
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

    private static CallerResult madeBeforeMidnight(String url, Schedule schedule, Stalls stalls) {
        ZoneOffset zone = zoneWithMidnightIn(TO_MIDNIGHT);
        try (Traffic wrong = prepare(url, zone, schedule.permits(), schedule.timeout())) {
            Scenario.pause(TO_MIDNIGHT.plusMillis(100));
            try (Traffic right = prepare(url, zone, schedule.permits(), schedule.timeout())) {
                long began = System.nanoTime();
                wrong.begin();
                right.begin();
                Scenario.pause(schedule.before().plus(schedule.after()));
                List<Call> calls = new ArrayList<>(wrong.stop());
                calls.addAll(right.stop());
                return CallerResult.of(setting("clock behind midnight", schedule, began), wrong, calls, stalls);
            }
        }
    }

    private static Traffic prepare(String url, ZoneOffset zone, int permits, Duration timeout) {
        Limit limit = Limit.fixedWindow(permits, ChronoUnit.DAYS, zone);
        return Traffic.prepare(Caller.LETTUCE, url, LIMITER, limit, timeout, key -> true);
    }

    /** Somewhere on earth, or nearly, it will be midnight then. */
    private static ZoneOffset zoneWithMidnightIn(Duration left) {
        long then = Instant.now().plus(left).getEpochSecond();
        long ahead = Math.floorMod(-then, DAY);
        return ZoneOffset.ofTotalSeconds((int) (ahead > DAY / 2 ? ahead - DAY : ahead));
    }
}
