package dev.sluice.simulate;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.sluice.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What to simulate: the limits, and the traffic. The command line and the page both read their parameters here, so that
 * both have the same names, bounds and messages.
 *
 * @param algorithms which algorithms to compare
 * @param permits permits per period
 * @param period the period
 * @param burst size of the token bucket
 * @param capacity size of the leaky bucket
 * @param slices slices of a sliding window
 * @param hold how long admitted work runs, for the concurrency limit
 * @param shape the shape of the traffic
 * @param duration how long the traffic lasts
 * @param rate requests per period at the shape's rate
 * @param seed the seed of the random arrivals
 * @param drawn how many requests come in each equal part of the duration, for traffic that is drawn
 */
public record Scenario(
        List<Algorithm> algorithms,
        long permits,
        Duration period,
        long burst,
        long capacity,
        int slices,
        Duration hold,
        Traffic.Shape shape,
        Duration duration,
        long rate,
        long seed,
        List<Long> drawn) {

    /** The names that {@link #parse} knows. */
    public static final List<String> NAMES = List.of(
            "algorithm",
            "permits",
            "per",
            "burst",
            "capacity",
            "slices",
            "hold",
            "traffic",
            "duration",
            "rate",
            "seed",
            "drawn");

    private static final long MAX_PERMITS = 100_000;
    private static final int MAX_SLICES = 1_000;
    private static final int MAX_PERIODS = 1_000;
    private static final int MAX_PARTS = 200;
    private static final Duration MAX_DURATION = Duration.ofDays(31);

    /**
     * Reads a scenario from names and values; a parameter that is absent or empty has its default.
     *
     * @throws IllegalArgumentException with one line that says what is wrong and what was expected
     */
    public static Scenario parse(Map<String, String> values) {
        for (String name : values.keySet()) {
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException(
                        "'" + name + "' is not a parameter; there are " + String.join(", ", NAMES));
            }
        }
        Reader reader = new Reader(values);
        List<Algorithm> algorithms = algorithms(reader.text("algorithm", "all"));
        long permits = reader.number("permits", 10, 1, MAX_PERMITS);
        Duration period = reader.duration("per", Duration.ofSeconds(10));
        Traffic.Shape shape = Traffic.Shape.parse(reader.text("traffic", Traffic.Shape.BOUNDARY.text()));
        Duration duration = reader.duration("duration", min(period.multipliedBy(4), MAX_DURATION));
        if (duration.dividedBy(period) > MAX_PERIODS) {
            throw new IllegalArgumentException("duration must be at most " + MAX_PERIODS + " periods of "
                    + Durations.text(period) + ", was " + Durations.text(duration));
        }
        Scenario scenario = new Scenario(
                algorithms,
                permits,
                period,
                reader.number("burst", permits, 1, MAX_PERMITS),
                reader.number("capacity", permits, 1, MAX_PERMITS),
                (int) reader.number("slices", 10, 1, MAX_SLICES),
                reader.duration("hold", max(period.dividedBy(4), Duration.ofNanos(1000))),
                shape,
                duration,
                rate(reader.text("rate", 2 * permits + "/" + Durations.text(period)), period),
                reader.number("seed", 1, 0, Long.MAX_VALUE),
                drawn(shape, reader.text("drawn", "")));
        scenario.algorithms.forEach(algorithm -> algorithm.limit(scenario));
        return scenario;
    }

    /** The arrivals. */
    public Traffic traffic() {
        if (shape == Traffic.Shape.DRAWN) {
            return Traffic.drawn(drawn, MICROSECONDS.convert(duration));
        }
        return Traffic.of(shape, MICROSECONDS.convert(duration), MICROSECONDS.convert(period), rate, seed);
    }

    /** Runs every algorithm on the same arrivals. */
    public List<Simulation> run() {
        Traffic traffic = traffic();
        return algorithms.stream()
                .map(algorithm -> Simulation.run(algorithm.limit(this), period, traffic, hold))
                .toList();
    }

    /** The scenario in one line. */
    public String summary() {
        return PictureText.english().scenario(this);
    }

    String periodText() {
        return Durations.text(period);
    }

    private static List<Algorithm> algorithms(String text) {
        if (text.equals("all")) {
            return List.of(Algorithm.values());
        }
        List<Algorithm> chosen = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            Algorithm algorithm = Algorithm.parse(name.strip());
            if (!chosen.contains(algorithm)) {
                chosen.add(algorithm);
            }
        }
        return List.copyOf(chosen);
    }

    /** {@code 0,5,20} is none in the first third of the duration, five in the next and twenty in the last. */
    private static List<Long> drawn(Traffic.Shape shape, String text) {
        if ((shape == Traffic.Shape.DRAWN) == text.isEmpty()) {
            throw new IllegalArgumentException(
                    "traffic is drawn, with drawn as in 0,5,20, or of another shape and drawn is absent; traffic was "
                            + shape.text() + " and drawn was '" + text + "'");
        }
        if (text.isEmpty()) {
            return List.of();
        }
        List<Long> counts = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (!part.strip().matches("\\d{1,5}") || counts.size() == MAX_PARTS) {
                throw new IllegalArgumentException("drawn must be 1 to " + MAX_PARTS
                        + " whole numbers of requests, each at most 99999, as in 0,5,20; was '" + shortened(text)
                        + "'");
            }
            counts.add(Long.parseLong(part.strip()));
        }
        return List.copyOf(counts);
    }

    private static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "...";
    }

    /** {@code 20} is twenty a second, {@code 20/10s} twenty in ten seconds; returns how many in a period. */
    private static long rate(String text, Duration period) {
        int slash = text.indexOf('/');
        String count = slash < 0 ? text : text.substring(0, slash);
        Duration per = slash < 0 ? Duration.ofSeconds(1) : Durations.parse(text.substring(slash + 1));
        if (!count.matches("\\d{1,7}") || per == null || per.isZero()) {
            throw new IllegalArgumentException(
                    "rate must be requests per second as in 5, or per duration as in 20/10s; was '" + text + "'");
        }
        long rate = Math.multiplyExact(Long.parseLong(count), MICROSECONDS.convert(period)) / MICROSECONDS.convert(per);
        if (rate < 1 || rate > MAX_PERMITS * 10) {
            throw new IllegalArgumentException("rate must come to 1 to " + MAX_PERMITS * 10 + " requests per period of "
                    + Durations.text(period) + ", was '" + text + "', which comes to " + rate);
        }
        return rate;
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    private static Duration max(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private record Reader(Map<String, String> values) {
        Reader {
            values = new TreeMap<>(values);
        }

        String text(String name, String absent) {
            @Nullable String value = values.get(name);
            return value == null || value.isBlank() ? absent : value.strip();
        }

        long number(String name, long absent, long min, long max) {
            String value = text(name, Long.toString(absent));
            if (value.matches("\\d{1,19}")) {
                try {
                    long number = Long.parseLong(value);
                    if (number >= min && number <= max) {
                        return number;
                    }
                } catch (NumberFormatException e) {
                    // Too large for a long: refused below, like every other number out of bounds.
                }
            }
            throw new IllegalArgumentException(
                    name + " must be a whole number from " + min + " to " + max + ", was '" + value + "'");
        }

        Duration duration(String name, Duration absent) {
            Duration duration = Durations.parse(name, text(name, Durations.text(absent)));
            if (duration.isZero() || duration.compareTo(MAX_DURATION) > 0) {
                throw new IllegalArgumentException(name + " must be longer than zero and at most "
                        + Durations.text(MAX_DURATION) + ", was '" + values.get(name) + "'");
            }
            return duration;
        }
    }
}
