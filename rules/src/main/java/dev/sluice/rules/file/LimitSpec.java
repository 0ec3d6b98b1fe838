package dev.sluice.rules.file;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.rules.Quoted;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One limit as it is written, in either form, and the {@link Limit} that it means.
 *
 * <p>The method of each algorithm builds its limit from the permits, the period and the options.
 */
final class LimitSpec implements Limit.Cases<Limit> {
    /** One limit of each algorithm, whose numbers mean nothing, with the names of its options. */
    private static final Map<Limit, Set<String>> OPTIONS = options();

    private static final Limit DEFAULT = Limit.slidingWindow(1, Duration.ofSeconds(1), 10);
    private static final String EPOCH = "epoch";
    private static final String ALIGNED = "aligned";

    /** A piece of text, the value it is part of, and where in the value it begins. */
    record Part(String text, YamlValue value, int offset) {}

    private final Map<String, Part> options = new LinkedHashMap<>();
    private @Nullable Part algorithm;
    private @Nullable Part permits;
    private @Nullable Part per;
    private boolean failed;

    private long count;
    private Duration period = Duration.ZERO;
    private @Nullable ChronoUnit calendarUnit;

    private static Map<Limit, Set<String>> options() {
        Duration second = Duration.ofSeconds(1);
        Map<Limit, Set<String>> all = new LinkedHashMap<>();
        all.put(Limit.fixedWindow(1, second), Set.of(ALIGNED));
        all.put(Limit.slidingWindow(1, second, 10), Set.of("slices", "weighted"));
        all.put(Limit.slidingLog(1, second), Set.of());
        all.put(Limit.tokenBucket(1, second), Set.of("burst"));
        all.put(Limit.leakyBucket(1, second), Set.of("capacity", "queue"));
        all.put(Limit.concurrency(1), Set.of());
        return all;
    }

    static List<String> allOptions() {
        return OPTIONS.values().stream().flatMap(Set::stream).toList();
    }

    private static List<String> algorithms() {
        return OPTIONS.keySet().stream().map(Limit::algorithm).toList();
    }

    /** Whether a limit of this algorithm has no period. */
    boolean holds() {
        Limit limit = kind();
        return limit != null && limit.holds();
    }

    /** A limit of the algorithm that is named, or of the default; null if the name is unknown. */
    private @Nullable Limit kind() {
        Part named = algorithm;
        return named == null
                ? DEFAULT
                : OPTIONS.keySet().stream()
                        .filter(limit -> limit.algorithm().equals(named.text))
                        .findFirst()
                        .orElse(null);
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
        part.value.problem(part.offset, message);
        failed = true;
    }

    /** The limit; null if there was a problem. */
    @Nullable
    Limit build(YamlValue whole) {
        options.forEach(this::checkValue);
        Limit kind = kind();
        if (kind == null) {
            Part part = Objects.requireNonNull(algorithm);
            problem(
                    part,
                    "unknown algorithm " + Quoted.quoted(part.text)
                            + DidYouMean.ending(part.text, algorithms()) + " Expected one of "
                            + String.join(", ", algorithms()));
        } else {
            options.forEach((name, part) -> checkOwner(kind, name, part));
        }
        count = permits == null ? 0 : number(permits, 1, Limit.MAX_PERMITS);
        if (per != null && kind != null && kind.holds()) {
            problem(per, kind.algorithm() + " has no period: permits are held until they are released");
        } else if (per != null) {
            readPeriod(per);
        }
        if (failed || kind == null) {
            return null;
        }
        try {
            return kind.accept(this);
        } catch (IllegalArgumentException e) {
            whole.problem(e.getMessage() == null ? "not a limit" : e.getMessage());
            return null;
        }
    }

    private void checkOwner(Limit kind, String option, Part part) {
        Set<String> known = Objects.requireNonNull(OPTIONS.get(kind));
        if (known.contains(option)) {
            return;
        }
        String owner = OPTIONS.keySet().stream()
                .filter(limit -> Objects.requireNonNull(OPTIONS.get(limit)).contains(option))
                .map(limit -> "it is one of " + limit.algorithm() + ", which must then be named")
                .findFirst()
                .orElseGet(() -> known.isEmpty()
                        ? "it has none"
                        : "its options are "
                                + String.join(", ", known.stream().sorted().toList())
                                + DidYouMean.hint(option, known));
        problem(part, "'" + option + "' is no option of " + kind.algorithm() + "; " + owner);
    }

    private void readPeriod(Part part) {
        calendarUnit = Durations.unit(part.text);
        if (calendarUnit == null) {
            Duration duration = Durations.parse(part.text);
            if (duration == null || duration.isZero() || duration.compareTo(Limit.MAX_PERIOD) > 0) {
                problem(
                        part,
                        "expected " + Durations.EXPECTED + ", longer than zero and at most ten years, was "
                                + Quoted.quoted(part.text));
                return;
            }
            period = duration;
        } else if (calendarUnit.compareTo(ChronoUnit.WEEKS) > 0 && zone() == null) {
            problem(
                    part,
                    "a " + part.text + " has no fixed length; say fixed-window aligned=ZONE, such as aligned=UTC");
        } else {
            period = calendarUnit.getDuration();
        }
    }

    // ---- The limit of each algorithm

    @Override
    public Limit fixedWindow(Limit.FixedWindow kind) {
        ZoneId zone = zone();
        if (zone != null && calendarUnit != null && calendarUnit != ChronoUnit.SECONDS) {
            return Limit.fixedWindow(count, calendarUnit, zone);
        }
        Limit.FixedWindow window = Limit.fixedWindow(count, period);
        return zone != null ? window.aligned(zone) : options.containsKey(ALIGNED) ? window.aligned() : window;
    }

    @Override
    public Limit slidingWindow(Limit.SlidingWindow kind) {
        int slices = (int) option("slices", Limit.SlidingWindow.MAX_SLICES, kind.slices());
        Limit.SlidingWindow window = Limit.slidingWindow(count, period, slices);
        return flag("weighted") ? window.weighted() : window;
    }

    @Override
    public Limit slidingLog(Limit.SlidingLog kind) {
        return Limit.slidingLog(count, period);
    }

    @Override
    public Limit tokenBucket(Limit.TokenBucket kind) {
        return Limit.tokenBucket(count, period).burst(option("burst", Limit.MAX_PERMITS, count));
    }

    @Override
    public Limit leakyBucket(Limit.LeakyBucket kind) {
        Limit.LeakyBucket bucket =
                Limit.leakyBucket(count, period).capacity(option("capacity", Limit.MAX_PERMITS, count));
        return flag("queue") ? bucket.queue() : bucket;
    }

    @Override
    public Limit concurrency(Limit.Concurrency kind) {
        return Limit.concurrency(count);
    }

    // ---- Options

    /** Checks the value of an option, whichever algorithm it belongs to, so that every wrong one is reported. */
    private void checkValue(String name, Part part) {
        switch (name) {
            case "burst", "capacity" -> number(part, 1, Limit.MAX_PERMITS);
            case "slices" -> number(part, 1, Limit.SlidingWindow.MAX_SLICES);
            case "weighted", "queue" -> {
                if (!Set.of("", "true", "false").contains(part.text)) {
                    problem(part, name + " is true or false, was " + Quoted.quoted(part.text));
                }
            }
            case ALIGNED -> {
                if (!Set.of("", EPOCH).contains(part.text) && zone() == null) {
                    problem(
                            part,
                            "expected aligned=epoch, or a time zone such as aligned=UTC or"
                                    + " aligned=Europe/Berlin, was " + Quoted.quoted(part.text));
                }
            }
            default -> {} // reported as unknown
        }
    }

    /** The time zone of {@code aligned}; null if there is none. */
    private @Nullable ZoneId zone() {
        Part aligned = options.get(ALIGNED);
        if (aligned == null || aligned.text.isEmpty() || aligned.text.equals(EPOCH)) {
            return null;
        }
        try {
            return ZoneId.of(aligned.text);
        } catch (DateTimeException e) {
            return null;
        }
    }

    private boolean flag(String name) {
        Part part = options.get(name);
        return part != null && !part.text.equals("false");
    }

    private long option(String name, long max, long otherwise) {
        Part part = options.get(name);
        return part == null ? otherwise : number(part, 1, max);
    }

    private long number(Part part, long min, long max) {
        Long number = YamlValue.parseNumber(part.text);
        if (number == null || number < min || number > max) {
            problem(part, "expected a whole number from " + min + " to " + max + ", was " + Quoted.quoted(part.text));
            return min;
        }
        return number;
    }
}
