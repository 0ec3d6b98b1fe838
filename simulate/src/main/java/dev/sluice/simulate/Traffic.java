package dev.sluice.simulate;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;

/** When requests arrive. The same numbers and seed give the same arrivals, to the microsecond. */
public final class Traffic {
    /** The most arrivals that one simulation has. */
    public static final int MAX_ARRIVALS = 50_000;

    /** Beyond this many they are not even counted. */
    private static final int MAX_COUNTED = 100 * MAX_ARRIVALS;

    private final long[] arrivalsMicros;
    private final long durationMicros;

    /**
     * Arrivals of any kind.
     *
     * @param arrivalsMicros the instants, in order, each in [0, duration)
     * @param durationMicros how long the traffic lasts
     */
    public Traffic(long[] arrivalsMicros, long durationMicros) {
        this.arrivalsMicros = arrivalsMicros.clone();
        this.durationMicros = durationMicros;
    }

    /** The instants, in order. */
    public long[] arrivalsMicros() {
        return arrivalsMicros.clone();
    }

    /** How long the traffic lasts. */
    public long durationMicros() {
        return durationMicros;
    }

    /** How arrivals are spread over time. */
    public enum Shape {
        /** Evenly: one request somewhere in each gap. */
        STEADY("the same all the time"),
        /** A quarter of the rate, and every two periods one period's worth at once. */
        BURST("a calm flow with sudden bursts"),
        /** The attack on fixed windows: a burst just before a window ends and another just after. */
        BOUNDARY("a burst just before a window ends and one just after"),
        /** Calm, then a ramp to four times the rate, a peak, and a long tail. */
        FLASH_SALE("calm, a ramp, a peak and a long tail"),
        /** Twice the rate for one period, nothing for the next. */
        ON_OFF("on for a period, off for a period"),
        /** As many in each part of the duration as somebody has drawn. */
        DRAWN("drawn by hand: so many in each equal part of the duration");

        private final String summary;

        Shape(String summary) {
            this.summary = summary;
        }

        /** One line on what it looks like. */
        public String summary() {
            return summary;
        }

        /** The name as users write it: {@code flash-sale}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Shape parse(String text) {
            for (Shape shape : values()) {
                if (shape.text().equals(text)) {
                    return shape;
                }
            }
            throw new IllegalArgumentException("traffic must be one of "
                    + Arrays.stream(values()).map(Shape::text).collect(Collectors.joining(", ")) + ", was '" + text
                    + "'");
        }
    }

    /**
     * Arrivals of a shape.
     *
     * @param periodMicros the period of the limit that the traffic will meet: bursts are placed by it
     * @param rate how many requests come in {@code periodMicros} at the shape's rate
     * @throws IllegalArgumentException if that would be more than {@link #MAX_ARRIVALS}
     */
    public static Traffic of(Shape shape, long durationMicros, long periodMicros, long rate, long seed) {
        Arrivals arrivals = new Arrivals(durationMicros, seed);
        switch (shape) {
            case STEADY -> arrivals.flow(0, durationMicros, periodMicros, rate * 100, rate * 100);
            case BURST -> {
                arrivals.flow(0, durationMicros, periodMicros, rate * 25, rate * 25);
                for (long at = periodMicros / 2; at < durationMicros; at += 2 * periodMicros) {
                    arrivals.burst(at, periodMicros / 50, rate);
                }
            }
            case BOUNDARY -> boundary(arrivals, durationMicros, periodMicros, rate);
            case FLASH_SALE -> {
                long[] permille = {0, 200, 350, 500, 650, 1000};
                long[] percent = {40, 40, 400, 400, 100, 40};
                for (int i = 1; i < permille.length; i++) {
                    long from = durationMicros * permille[i - 1] / 1000;
                    long to = durationMicros * permille[i] / 1000;
                    arrivals.flow(from, to, periodMicros, rate * percent[i - 1], rate * percent[i]);
                }
            }
            case ON_OFF -> {
                for (long at = 0; at < durationMicros; at += 2 * periodMicros) {
                    arrivals.flow(
                            at, Math.min(at + periodMicros, durationMicros), periodMicros, rate * 200, rate * 200);
                }
            }
            case DRAWN -> throw new IllegalArgumentException("traffic that is drawn has counts in place of a rate");
        }
        return new Traffic(arrivals.sorted(), durationMicros);
    }

    /**
     * Arrivals as somebody has drawn them.
     *
     * @param counts how many come in each equal part of the duration, evenly spread over it
     * @throws IllegalArgumentException if that would be more than {@link #MAX_ARRIVALS}
     */
    public static Traffic drawn(List<Long> counts, long durationMicros) {
        Arrivals arrivals = new Arrivals(durationMicros, 0);
        for (int i = 0; i < counts.size(); i++) {
            long from = durationMicros * i / counts.size();
            arrivals.burst(from, durationMicros * (i + 1) / counts.size() - from, counts.get(i));
        }
        return new Traffic(arrivals.sorted(), durationMicros);
    }

    /*
     * Half a period's worth just before every second edge of a window, and as much again just after. A window that
     * starts at the first request has no such edges, so one request opens it in time: it comes so that the window it
     * opens ends between the two bursts, and yet falls into the aligned window before.
     *
     *               W            2W             3W
     *             nn|nn         1|            nn|nn
     */
    private static void boundary(Arrivals arrivals, long durationMicros, long periodMicros, long rate) {
        long gap = Math.max(2, periodMicros / 100);
        long each = Math.max(1, rate / 2);
        for (long edge = periodMicros; edge < durationMicros + 2 * gap; edge += 2 * periodMicros) {
            arrivals.burst(edge - periodMicros - gap / 2, 1, 1);
            arrivals.burst(edge - 2 * gap, gap, each);
            arrivals.burst(edge + gap, gap, each);
        }
    }

    /** The instants so far, unordered. */
    private static final class Arrivals {
        private final long durationMicros;
        private final Random random;
        private long[] instants = new long[64];
        private int size;

        Arrivals(long durationMicros, long seed) {
            this.durationMicros = durationMicros;
            this.random = new Random(seed);
        }

        /** {@code count} requests spread evenly over {@code lengthMicros}; the first exactly at {@code at}. */
        void burst(long at, long lengthMicros, long count) {
            for (long i = 0; i < count; i++) {
                add(at + lengthMicros * i / count);
            }
        }

        /**
         * Requests at a rate that moves in a straight line between two values, in hundredths of a request per period.
         * The time is cut into steps; each adds what flows in it to a tank, and every whole request in the tank leaves
         * at a random instant of the step that completed it.
         */
        void flow(long from, long to, long periodMicros, long startRate, long endRate) {
            long steps = Math.max(1, Math.min(2000, (to - from) / 100));
            long whole = 100 * periodMicros;
            long tank = pick(whole);
            for (long step = 0; step < steps; step++) {
                long begin = from + (to - from) * step / steps;
                long length = from + (to - from) * (step + 1) / steps - begin;
                tank += length * (startRate + (endRate - startRate) * step / steps);
                for (; tank >= whole; tank -= whole) {
                    add(begin + pick(length));
                }
            }
        }

        private long pick(long bound) {
            return Math.floorMod(random.nextLong(), bound);
        }

        private void add(long at) {
            if (at < 0 || at >= durationMicros) {
                return;
            }
            if (size >= MAX_ARRIVALS) {
                size++; // counted, to say how many they would be
                if (size == MAX_COUNTED) {
                    throw tooMany("more than " + size);
                }
                return;
            }
            if (size == instants.length) {
                instants = Arrays.copyOf(instants, size * 2);
            }
            instants[size++] = at;
        }

        private IllegalArgumentException tooMany(String count) {
            int times = (size + MAX_ARRIVALS - 1) / MAX_ARRIVALS;
            return new IllegalArgumentException("this would be " + count + " requests, and at most " + MAX_ARRIVALS
                    + " are simulated; with permits and a rate that are " + times
                    + " times lower the picture is the same, or choose a duration that is " + times
                    + " times shorter");
        }

        long[] sorted() {
            if (size > MAX_ARRIVALS) {
                throw tooMany(Integer.toString(size));
            }
            long[] sorted = Arrays.copyOf(instants, size);
            Arrays.sort(sorted);
            return sorted;
        }
    }
}
