package dev.sluice;

import dev.sluice.text.DidYouMean;
import dev.sluice.text.Quoted;
import dev.sluice.text.WholeNumber;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One limit as it is written, in parts, and the {@link Limit} that it means. All that is wrong with the parts is
 * collected, so that it can be told at once.
 *
 * <p>The method of each algorithm builds its limit from the permits, the period and the options.
 */
final class LimitSpec implements Limit.Cases<Limit> {
    static final String PERMITS = "permits";
    static final String PER = "per";
    static final String ALGORITHM = "algorithm";

    /** One limit of each algorithm, whose numbers mean nothing, with the names of its options. */
    private static final Map<Limit, List<String>> OPTIONS = options();

    private static final Limit DEFAULT = Limit.slidingWindow(1, Duration.ofSeconds(1), 10);
    private static final String EPOCH = "epoch";
    private static final String ALIGNED = "aligned";

    private static final Set<String> FLAGS = Set.of(ALIGNED, "weighted", "queue");

    /** The text of a field, and where it begins. */
    record Part(String field, String text, int offset) {}

    private final Map<String, Part> options = new LinkedHashMap<>();
    private final List<LimitSyntaxException.Problem> problems = new ArrayList<>();
    private @Nullable Part algorithm;
    private @Nullable Part permits;
    private @Nullable Part per;

    private long count;
    private Duration period = Duration.ZERO;
    private @Nullable ChronoUnit calendarUnit;

    private static Map<Limit, List<String>> options() {
        Duration second = Duration.ofSeconds(1);
        Map<Limit, List<String>> all = new LinkedHashMap<>();
        all.put(Limit.fixedWindow(1, second), List.of(ALIGNED));
        all.put(Limit.slidingWindow(1, second, 10), List.of("slices", "weighted"));
        all.put(Limit.slidingLog(1, second), List.of());
        all.put(Limit.tokenBucket(1, second), List.of("burst"));
        all.put(Limit.leakyBucket(1, second), List.of("capacity", "queue"));
        all.put(Limit.concurrency(1), List.of());
        return all;
    }

    static List<String> allOptions() {
        return OPTIONS.values().stream().flatMap(List::stream).toList();
    }

    private static List<String> algorithms() {
        return OPTIONS.keySet().stream().map(Limit::algorithm).toList();
    }

    /** Whether an option can stand alone, without a value. */
    static boolean isFlag(String option) {
        return FLAGS.contains(option);
    }

    /** Whether an option means nothing without a value. */
    static boolean needsValue(String option) {
        return allOptions().contains(option) && !FLAGS.contains(option);
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

    /** Sets a field by its name. */
    void set(String name, Part part) {
        switch (name) {
            case PERMITS -> permits = part;
            case PER -> per = part;
            case ALGORITHM -> algorithm = part;
            default -> option(name, part);
        }
    }

    /** Adds an option, whatever its name; its text is empty if it has no value. */
    void option(String name, Part part) {
        if (options.putIfAbsent(name, part) != null) {
            problem(part, "option " + Quoted.quoted(name) + " is there twice");
        }
    }

    private void problem(Part part, String message) {
        problem(part.field, part.offset, message);
    }

    void problem(String field, int offset, String message) {
        problems.add(new LimitSyntaxException.Problem(field, offset, message));
    }

    List<LimitSyntaxException.Problem> problems() {
        return problems;
    }

    /** The limit; null if there was a problem. */
    @Nullable
    Limit build() {
        options.forEach(this::checkValue);
        Limit kind = kind();
        if (kind == null) {
            unknownAlgorithm(Objects.requireNonNull(algorithm));
        } else {
            options.forEach((name, part) -> checkOwner(kind, name, part));
        }
        if (permits == null) {
            problem("", 0, "'permits' is missing; expected how many");
        } else {
            count = number(permits, 1, Limit.MAX_PERMITS);
        }
        if (per != null && kind != null && kind.holds()) {
            problem(per, kind.algorithm() + " has no period: permits are held until they are released");
        } else if (per != null) {
            readPeriod(per);
        } else if (kind == null || !kind.holds()) {
            problem("", 0, "'per' is missing; expected " + Durations.EXPECTED);
        }
        return kind == null ? null : built(kind);
    }

    private @Nullable Limit built(Limit kind) {
        if (!problems.isEmpty()) {
            return null;
        }
        try {
            return kind.accept(this);
        } catch (IllegalArgumentException e) {
            problem("", 0, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private void unknownAlgorithm(Part part) {
        problem(
                part,
                "unknown algorithm " + Quoted.quoted(part.text) + DidYouMean.ending(part.text, algorithms())
                        + " Expected one of " + String.join(", ", algorithms()));
    }

    private void checkOwner(Limit kind, String option, Part part) {
        List<String> known = Objects.requireNonNull(OPTIONS.get(kind));
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
        problem(part, Quoted.quoted(option) + " is no option of " + kind.algorithm() + "; " + owner);
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
        Long number = WholeNumber.parse(part.text);
        if (number == null || number < min || number > max) {
            problem(part, "expected a whole number from " + min + " to " + max + ", was " + Quoted.quoted(part.text));
            return min;
        }
        return number;
    }
}
