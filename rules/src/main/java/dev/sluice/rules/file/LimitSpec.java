package dev.sluice.rules.file;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.rules.Quoted;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** The parts of one limit as they were written, whichever way, and what they amount to. */
final class LimitSpec {
    static final String DEFAULT_ALGORITHM = "sliding-window";
    static final String CONCURRENCY = "concurrency";

    /** The algorithms, and the options of each. */
    static final Map<String, Set<String>> ALGORITHMS = algorithms();

    /** A piece of text, where it stands, and how to name it in a message. */
    record Part(String text, Node node, int offset, String path) {}

    private static final String EPOCH = "epoch";

    private final FileProblems problems;
    private final Map<String, Part> options = new LinkedHashMap<>();
    private @Nullable Part algorithm;
    private @Nullable Part permits;
    private @Nullable Part per;
    private boolean failed;

    LimitSpec(FileProblems problems) {
        this.problems = problems;
    }

    private static Map<String, Set<String>> algorithms() {
        Map<String, Set<String>> all = new LinkedHashMap<>();
        all.put("fixed-window", Set.of("aligned"));
        all.put("sliding-window", Set.of("slices", "weighted"));
        all.put("sliding-log", Set.of());
        all.put("token-bucket", Set.of("burst"));
        all.put("leaky-bucket", Set.of("capacity", "queue"));
        all.put(CONCURRENCY, Set.of());
        return all;
    }

    void permits(Part part) {
        permits = part;
    }

    void per(Part part) {
        per = part;
    }

    void algorithm(Part part) {
        algorithm = part;
    }

    /** Adds an option; its text is empty if it has no value. */
    void option(String name, Part part) {
        if (options.putIfAbsent(name, part) != null) {
            problem(part, "option '" + name + "' is there twice");
        }
    }

    void problem(Part part, String message) {
        problems.add(part.node, part.offset, part.path, message);
        failed = true;
    }

    /** The limit, or null if there was a problem. */
    @Nullable
    Limit build(Node whole, String path) {
        String name = algorithm == null ? DEFAULT_ALGORITHM : algorithm.text;
        Set<String> known = ALGORITHMS.get(name);
        if (known == null) {
            Part part = Objects.requireNonNull(algorithm);
            problem(
                    part,
                    "unknown algorithm " + Quoted.quoted(name) + DidYouMean.ending(name, ALGORITHMS.keySet())
                            + " Expected one of " + String.join(", ", ALGORITHMS.keySet()));
            known = options.keySet();
        }
        for (Map.Entry<String, Part> option : options.entrySet()) {
            if (!known.contains(option.getKey())) {
                problem(
                        option.getValue(),
                        "'" + option.getKey() + "' is no option of " + name + "; " + owner(option.getKey(), known));
            }
        }
        long count = permits == null ? 0 : number(permits, 1, Limit.MAX_PERMITS);
        boolean held = name.equals(CONCURRENCY);
        if (held && per != null) {
            problem(per, "concurrency has no period: permits are held until they are released");
        }
        Period period = held || per == null ? null : period(per, name);
        if (failed) {
            return null;
        }
        try {
            return held || period == null ? Limit.concurrency(count) : limit(name, count, period);
        } catch (IllegalArgumentException e) {
            problems.add(whole, path, e.getMessage() == null ? "not a limit" : e.getMessage());
            return null;
        }
    }

    private static String owner(String option, Set<String> known) {
        for (Map.Entry<String, Set<String>> each : ALGORITHMS.entrySet()) {
            if (each.getValue().contains(option)) {
                return "it is one of " + each.getKey() + ", which must then be named";
            }
        }
        return known.isEmpty()
                ? "it has none"
                : "its options are " + String.join(", ", known.stream().sorted().toList())
                        + DidYouMean.hint(option, known);
    }

    /** A period as a duration, or as a unit of the calendar. */
    private record Period(Duration duration, @Nullable ChronoUnit unit) {}

    private @Nullable Period period(Part part, String algorithm) {
        ChronoUnit word = Durations.unit(part.text);
        if (word == null) {
            Duration duration = Durations.parse(part.text);
            if (duration == null || duration.isZero() || duration.compareTo(Limit.MAX_PERIOD) > 0) {
                problem(
                        part,
                        "expected " + Durations.EXPECTED + ", longer than zero and at most ten years, was "
                                + Quoted.quoted(part.text));
                return null;
            }
            return new Period(duration, null);
        }
        if (word.compareTo(ChronoUnit.WEEKS) > 0 && zone(algorithm) == null) {
            problem(
                    part,
                    "a " + part.text + " has no fixed length; say fixed-window aligned=ZONE, such as aligned=UTC");
            return null;
        }
        return new Period(word.getDuration(), word);
    }

    private Limit limit(String name, long count, Period period) {
        Duration duration = period.duration;
        return switch (name) {
            case "fixed-window" -> fixedWindow(count, period);
            case "sliding-log" -> Limit.slidingLog(count, duration);
            case "token-bucket" ->
                Limit.tokenBucket(count, duration).burst(option("burst", 1, Limit.MAX_PERMITS, count));
            case "leaky-bucket" -> leakyBucket(count, duration);
            default -> slidingWindow(count, duration);
        };
    }

    private Limit slidingWindow(long count, Duration period) {
        int slices = (int) option("slices", 1, Limit.SlidingWindow.MAX_SLICES, 10);
        Limit.SlidingWindow window = Limit.slidingWindow(count, period, slices);
        return flag("weighted") ? window.weighted() : window;
    }

    private Limit leakyBucket(long count, Duration period) {
        Limit.LeakyBucket bucket =
                Limit.leakyBucket(count, period).capacity(option("capacity", 1, Limit.MAX_PERMITS, count));
        return flag("queue") ? bucket.queue() : bucket;
    }

    private Limit fixedWindow(long count, Period period) {
        Part aligned = options.get("aligned");
        ZoneId zone = zone("fixed-window");
        if (zone != null && period.unit != null && period.unit != ChronoUnit.SECONDS) {
            return Limit.fixedWindow(count, period.unit, zone);
        }
        Limit.FixedWindow window = Limit.fixedWindow(count, period.duration);
        return zone != null ? window.aligned(zone) : aligned != null ? window.aligned() : window;
    }

    private @Nullable ZoneId zone(String algorithm) {
        Part aligned = options.get("aligned");
        if (aligned == null
                || aligned.text.isEmpty()
                || aligned.text.equals(EPOCH)
                || !algorithm.equals("fixed-window")) {
            return null;
        }
        try {
            return ZoneId.of(aligned.text);
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** Looks at the values of options, so that every wrong one is told. */
    void checkOptions() {
        options.forEach((name, part) -> {
            switch (name) {
                case "burst", "capacity" -> number(part, 1, Limit.MAX_PERMITS);
                case "slices" -> number(part, 1, Limit.SlidingWindow.MAX_SLICES);
                case "weighted", "queue" -> {
                    if (!Set.of("", "true", "false").contains(part.text)) {
                        problem(part, name + " is true or false, was " + Quoted.quoted(part.text));
                    }
                }
                case "aligned" -> {
                    if (!Set.of("", EPOCH).contains(part.text) && zone("fixed-window") == null) {
                        problem(
                                part,
                                "expected aligned=epoch, or a time zone such as aligned=UTC or"
                                        + " aligned=Europe/Berlin, was " + Quoted.quoted(part.text));
                    }
                }
                default -> {}
            }
        });
    }

    private boolean flag(String name) {
        Part part = options.get(name);
        return part != null && !part.text.equals("false");
    }

    private long option(String name, long least, long most, long otherwise) {
        Part part = options.get(name);
        return part == null ? otherwise : number(part, least, most);
    }

    private long number(Part part, long least, long most) {
        Long number = Numbers.parse(part.text);
        if (number == null || number < least || number > most) {
            problem(
                    part,
                    "expected a whole number from " + least + " to " + most + ", was " + Quoted.quoted(part.text));
            return least;
        }
        return number;
    }
}
