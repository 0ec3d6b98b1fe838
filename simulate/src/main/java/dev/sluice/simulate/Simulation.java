package dev.sluice.simulate;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.sluice.Decision;
import dev.sluice.Hold;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;

/**
 * The simulation of one limit on one traffic: whether each request was allowed, and how much of the limit was used at every
 * moment. The limiter is the real one; only its clock is simulated.
 */
public final class Simulation {
    /** The level is read this many times over the duration, beside before and after every request. */
    private static final int LOOKS = 1200;

    /**
     * One request.
     *
     * @param atMicros when it came
     * @param allowed whether it was admitted
     * @param delayMicros how much later its work starts
     */
    public record Event(long atMicros, boolean allowed, long delayMicros) {}

    /**
     * A value from an instant on, until the next.
     *
     * @param atMicros the instant
     * @param value the value
     */
    public record Step(long atMicros, long value) {}

    /**
     * The fullest stretch of one period.
     *
     * @param endMicros when it ends; it starts, exclusively, one period before
     * @param admitted how many requests started in it
     */
    public record Worst(long endMicros, long admitted) {}

    private final Limit limit;
    private final Duration period;
    private final Traffic traffic;
    private final Limiter limiter;
    private final long startMicros;
    private final long holdMicros;
    private final boolean hasWindows;
    private final List<Event> events = new ArrayList<>();
    private final List<Step> used = new ArrayList<>();
    private final TreeSet<Long> windows = new TreeSet<>();
    private final Deque<Running> running = new ArrayDeque<>();
    private long clockMicros;
    private int looks;

    private record Running(long untilMicros, Hold hold) {}

    private Simulation(Limit limit, Duration period, Traffic traffic, Duration hold, Instant start) {
        this.limit = limit;
        this.period = period;
        this.traffic = traffic;
        this.startMicros = MICROSECONDS.convert(Duration.between(Instant.EPOCH, start));
        this.holdMicros = MICROSECONDS.convert(hold);
        this.hasWindows = LimitSummary.of(limit).hasWindows();
        this.limiter = Limiter.local(() -> (startMicros + clockMicros) * 1000, limit);
    }

    /**
     * Runs a limit on a traffic that starts in 1970, where every window aligned to the epoch starts too.
     *
     * @param period the length of the stretches that {@link #worst} looks at
     * @param hold how long an admitted request holds its permit, where the limit has permits to hold
     */
    public static Simulation run(Limit limit, Duration period, Traffic traffic, Duration hold) {
        return run(limit, period, traffic, hold, Instant.EPOCH);
    }

    /** The same on a traffic that starts at {@code start}. */
    public static Simulation run(Limit limit, Duration period, Traffic traffic, Duration hold, Instant start) {
        Simulation simulation = new Simulation(limit, period, traffic, hold, start);
        for (long atMicros : traffic.arrivalsMicros()) {
            simulation.advance(atMicros);
            simulation.arrive(atMicros);
        }
        simulation.advance(traffic.durationMicros());
        return simulation;
    }

    private void advance(long toMicros) {
        while (true) {
            long lookMicros = traffic.durationMicros() * looks / LOOKS;
            long doneMicros = running.isEmpty() ? Long.MAX_VALUE : running.peekFirst().untilMicros;
            if (Math.min(lookMicros, doneMicros) > toMicros) {
                break;
            }
            if (doneMicros <= lookMicros) {
                look(doneMicros);
                running.removeFirst().hold.close();
                look(doneMicros);
            } else {
                look(lookMicros);
                looks++;
            }
        }
        look(toMicros);
    }

    private void arrive(long atMicros) {
        if (limit.holds()) {
            Hold hold = limiter.hold("", 1);
            events.add(new Event(atMicros, hold.allowed(), 0));
            if (hold.allowed()) {
                running.addLast(new Running(atMicros + holdMicros, hold));
            }
        } else {
            Decision decision = limiter.decide("", 1);
            events.add(new Event(atMicros, decision.allowed(), decision.delayMicros()));
            if (decision.allowed() && hasWindows) {
                windows.add(atMicros + decision.resetAfterMicros());
            }
        }
        look(atMicros);
    }

    private void look(long atMicros) {
        clockMicros = atMicros;
        long value = limit.capacity() - limiter.peek("", 0).remaining();
        if (used.isEmpty() || used.get(used.size() - 1).value != value) {
            used.add(new Step(atMicros, value));
        }
    }

    /** The limit. */
    public Limit limit() {
        return limit;
    }

    /** The length of the stretches that {@link #worst} looks at. */
    public Duration period() {
        return period;
    }

    /** The traffic. */
    public Traffic traffic() {
        return traffic;
    }

    /** Every request, in order. */
    public List<Event> events() {
        return List.copyOf(events);
    }

    /** How many requests were admitted. */
    public long allowed() {
        return events.stream().filter(Event::allowed).count();
    }

    /** How many requests were denied. */
    public long denied() {
        return events.size() - allowed();
    }

    /** How much of the limit is used, over time: capacity less remaining. */
    public List<Step> used() {
        return List.copyOf(used);
    }

    /** The most that was used at any moment. */
    public long mostUsed() {
        return used.stream().mapToLong(Step::value).max().orElse(0);
    }

    /** When the windows of a fixed window that admitted anything ended; nothing for other limits. */
    public List<Long> windowEndsMicros() {
        return List.copyOf(windows);
    }

    /** The longest time between a request and the start of its work. */
    public long longestDelayMicros() {
        return events.stream().mapToLong(Event::delayMicros).max().orElse(0);
    }

    /** When admitted work started, in order. */
    public long[] startsMicros() {
        return events.stream()
                .filter(Event::allowed)
                .mapToLong(event -> event.atMicros + event.delayMicros)
                .sorted()
                .toArray();
    }

    /** How many admitted requests started in the last period, over time. */
    public List<Step> startedInPeriod() {
        long[] starts = startsMicros();
        long periodMicros = MICROSECONDS.convert(period);
        long[] changes = Arrays.copyOf(starts, starts.length * 2);
        for (int i = 0; i < starts.length; i++) {
            changes[starts.length + i] = starts[i] + periodMicros;
        }
        Arrays.sort(changes);
        List<Step> steps = new ArrayList<>();
        int entered = 0;
        int left = 0;
        for (long at : changes) {
            while (entered < starts.length && starts[entered] <= at) {
                entered++;
            }
            while (left < entered && starts[left] + periodMicros <= at) {
                left++;
            }
            if (steps.isEmpty() || steps.get(steps.size() - 1).atMicros < at) {
                steps.add(new Step(at, entered - left));
            }
        }
        return steps;
    }

    /** The period in which the most work started, among all of them; the first of several. */
    public Worst worst() {
        Worst worst = new Worst(0, 0);
        for (Step step : startedInPeriod()) {
            if (step.value > worst.admitted) {
                worst = new Worst(step.atMicros, step.value);
            }
        }
        return worst;
    }
}
