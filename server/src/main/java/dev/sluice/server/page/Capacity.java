package dev.sluice.server.page;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.simulate.LimitSummary;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The arithmetic of capacity: from a rate and a response time to requests in flight and pool sizes, from a target to the
 * downtime it allows, and from a limit to the most requests it lets through. The page and its document both have their
 * numbers from here.
 *
 * <p><b>Pools.</b> Little's law: requests in flight = rate x response time. A pool of exactly that size is always busy, and
 * requests that come at random wait for it. A pool at a utilisation of 70 % has 1 / 0.7 times as many places. How many of
 * the requests then still wait is Erlang's C formula, for arrivals and response times that are random and independent; real
 * ones come in bursts, and more of them wait.
 *
 * <p><b>Months.</b> A month is a twelfth of a year of 365.25 days: 99.9 % of it leaves 43.8 minutes.
 */
final class Capacity {
    private static final double SECOND_MICROS = 1e6;
    private static final double DAY_SECONDS = 86_400;
    private static final double YEAR_SECONDS = 365.25 * DAY_SECONDS;
    private static final double MONTH_SECONDS = YEAR_SECONDS / 12;
    private static final int MAX_PLACES = 1_000_000;
    private static final List<String> NAMES = List.of(
            "qps", "response", "connection", "instances", "utilisation", "target", "services", "limit", "clients");

    /**
     * One number.
     *
     * @param key what it is, by the key of its text
     */
    record Fact(String key, Unit unit, double value) {}

    /** What a number counts, and so how it is written. */
    enum Unit {
        /** Whole things: requests, places of a pool. */
        COUNT,
        /** Requests per second, or a mean number of them. */
        RATE,
        SECONDS,
        /** A share from 0 to 1. */
        SHARE
    }

    private final Map<String, String> values;
    private final double qps;
    private final double responseSeconds;
    private final double connectionSeconds;
    private final double instances;
    private final double utilisation;
    private final double target;
    private final double services;
    private final Limit limit;
    private final double clients;

    private Capacity(Map<String, String> values) {
        this.values = new TreeMap<>(values);
        for (String name : this.values.keySet()) {
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException(
                        "'" + name + "' is not a parameter; there are " + String.join(", ", NAMES));
            }
        }
        this.qps = number("qps", "400", 0.001, 10_000_000);
        this.responseSeconds = seconds("response", "120ms");
        this.connectionSeconds = seconds("connection", "15ms");
        this.instances = whole("instances", "4", 10_000);
        this.utilisation = number("utilisation", "70", 1, 99) / 100;
        this.target = share(decimal("target", "99.9", 1, 99.99999));
        this.services = whole("services", "3", 1000);
        this.limit = Limit.parse(text("limit", "100 per 1m token-bucket burst=20"));
        this.clients = whole("clients", "50", 100_000_000);
    }

    /**
     * Reads the parameters; one that is absent or empty has its default.
     *
     * @throws IllegalArgumentException with one line that says what is wrong and what was expected
     */
    static Capacity of(Map<String, String> values) {
        return new Capacity(values);
    }

    /** From a rate and a response time to requests in flight and pool sizes. */
    List<Fact> pools() {
        double inFlight = qps * responseSeconds;
        double connections = qps * connectionSeconds;
        long threads = places(inFlight / instances / utilisation);
        long pool = places(connections / instances / utilisation);
        return List.of(
                new Fact("inFlight", Unit.RATE, inFlight),
                new Fact("inFlightEach", Unit.RATE, inFlight / instances),
                new Fact("threadsEach", Unit.COUNT, threads),
                new Fact("threadsWait", Unit.SHARE, waiting(inFlight / instances, threads)),
                new Fact("threadsMost", Unit.RATE, threads * instances / responseSeconds),
                new Fact("connectionsEach", Unit.COUNT, pool),
                new Fact("connectionsAll", Unit.COUNT, pool * instances),
                new Fact("connectionsWait", Unit.SHARE, waiting(connections / instances, pool)));
    }

    /** From a target to the downtime it allows and the error budget. */
    List<Fact> availability() {
        double bad = 1 - target;
        return List.of(
                new Fact("downDay", Unit.SECONDS, bad * DAY_SECONDS),
                new Fact("downWeek", Unit.SECONDS, bad * 7 * DAY_SECONDS),
                new Fact("downMonth", Unit.SECONDS, bad * MONTH_SECONDS),
                new Fact("downYear", Unit.SECONDS, bad * YEAR_SECONDS),
                new Fact("requestsMonth", Unit.COUNT, Math.floor(qps * MONTH_SECONDS)),
                new Fact("budgetMonth", Unit.COUNT, Math.floor(qps * MONTH_SECONDS * bad + 1e-6)),
                new Fact("chain", Unit.SHARE, Math.pow(target, services)),
                new Fact("chainMonth", Unit.SECONDS, (1 - Math.pow(target, services)) * MONTH_SECONDS),
                new Fact("chainEach", Unit.SHARE, Math.pow(target, 1 / services)));
    }

    /** From a limit to the most requests that its clients can send, all of them at their worst. */
    List<Fact> limits() {
        List<Fact> facts = new ArrayList<>();
        if (limit.holds()) {
            double rate = limit.permits() / responseSeconds;
            facts.add(new Fact("limitSustained", Unit.RATE, rate * clients));
            facts.add(new Fact("limitInFlight", Unit.COUNT, limit.permits() * clients));
            return facts;
        }
        double period = MICROSECONDS.convert(Objects.requireNonNull(limit.period())) / SECOND_MICROS;
        double perSecond = limit.accept(new Worst(period, 1));
        double atOnce = limit.accept(new Worst(period, responseSeconds));
        facts.add(new Fact("limitSustained", Unit.RATE, limit.permits() / period * clients));
        facts.add(new Fact("limitPeriod", Unit.COUNT, LimitSummary.of(limit).bound() * clients));
        facts.add(new Fact("limitSecond", Unit.COUNT, perSecond * clients));
        facts.add(new Fact("limitInFlight", Unit.COUNT, atOnce * clients));
        return facts;
    }

    JsonObject json() {
        return new JsonObject()
                .put("limit", limit.text())
                .put("pools", json(pools()))
                .put("availability", json(availability()))
                .put("limits", json(limits()));
    }

    private static List<JsonObject> json(List<Fact> facts) {
        return facts.stream()
                .map(fact -> new JsonObject()
                        .put("key", fact.key)
                        .put("unit", fact.unit.name().toLowerCase(Locale.ROOT))
                        .put("value", fact.value))
                .toList();
    }

    private static long places(double needed) {
        double places = Math.max(1, Math.ceil(needed - 1e-9));
        if (places > MAX_PLACES) {
            throw new IllegalArgumentException("a pool would need more than " + MAX_PLACES
                    + " places; choose a lower rate, a shorter time or more instances");
        }
        return (long) places;
    }

    /** The share of requests that wait for a place: Erlang's C formula, by the recursion of his B formula. */
    static double waiting(double load, long places) {
        if (load >= places) {
            return 1;
        }
        double blocked = 1;
        for (long i = 1; i <= places; i++) {
            blocked = load * blocked / (i + load * blocked);
        }
        return blocked / (1 - load / places * (1 - blocked));
    }

    /**
     * The most requests that one client can send within any stretch of time, in seconds. What comes within one response
     * time is in flight together.
     */
    private record Worst(double period, double stretch) implements Limit.Cases<Double> {
        /** How many periods it takes to cover the stretch. */
        private double periods() {
            return Math.ceil(stretch / period);
        }

        /** How many permits come back within the stretch. */
        private double returned(Limit limit) {
            return Math.ceil(limit.permits() * stretch / period - 1e-9);
        }

        @Override
        public Double fixedWindow(Limit.FixedWindow limit) {
            double opener = limit.alignment() instanceof Limit.Alignment.FirstRequest ? 1 : 0;
            return limit.permits() * (periods() + 1) - opener;
        }

        @Override
        public Double slidingWindow(Limit.SlidingWindow limit) {
            double factor = limit.counting() == Limit.SlidingWindow.Counting.STRICT ? 1 : 2;
            return factor * limit.permits() * periods();
        }

        @Override
        public Double slidingLog(Limit.SlidingLog limit) {
            return limit.permits() * periods();
        }

        @Override
        public Double tokenBucket(Limit.TokenBucket limit) {
            return limit.burst() + returned(limit);
        }

        @Override
        public Double leakyBucket(Limit.LeakyBucket limit) {
            return limit.delays() ? returned(limit) : limit.capacity() + returned(limit);
        }

        @Override
        public Double concurrency(Limit.Concurrency limit) {
            throw new IllegalStateException("a concurrency limit has no rate");
        }
    }

    // ---- Parameters

    private String text(String name, String absent) {
        String value = values.getOrDefault(name, "");
        return value.isBlank() ? absent : value.strip();
    }

    private BigDecimal decimal(String name, String absent, double min, double max) {
        String value = text(name, absent);
        if (value.matches("\\d{1,9}(\\.\\d{1,9})?")) {
            BigDecimal number = new BigDecimal(value);
            if (number.doubleValue() >= min && number.doubleValue() <= max) {
                return number;
            }
        }
        throw new IllegalArgumentException(name + " must be a number from "
                + BigDecimal.valueOf(min).stripTrailingZeros().toPlainString() + " to "
                + BigDecimal.valueOf(max).stripTrailingZeros().toPlainString() + ", was '" + value + "'");
    }

    private double number(String name, String absent, double min, double max) {
        return decimal(name, absent, min, max).doubleValue();
    }

    private double whole(String name, String absent, int max) {
        double number = number(name, absent, 1, max);
        if (number != Math.rint(number)) {
            throw new IllegalArgumentException(name + " must be a whole number, was '" + text(name, absent) + "'");
        }
        return number;
    }

    private static double share(BigDecimal percent) {
        return percent.movePointLeft(2).doubleValue();
    }

    private double seconds(String name, String absent) {
        Duration duration = Durations.parse(name, text(name, absent));
        if (duration.isZero() || duration.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    name + " must be longer than zero and at most 1d, was '" + text(name, absent) + "'");
        }
        return MICROSECONDS.convert(duration) / SECOND_MICROS;
    }
}
