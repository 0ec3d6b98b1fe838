package dev.sluice.simulate.generate;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Random choices that are the same on every machine: by {@link SplittableRandom}, whose sequence is fixed, and
 * {@link StrictMath}.
 */
final class Dice {
    private final SplittableRandom random;

    Dice(long seed) {
        this(new SplittableRandom(seed));
    }

    private Dice(SplittableRandom random) {
        this.random = random;
    }

    /** Dice of their own, for one client, so that clients do not depend on each other. */
    Dice split() {
        return new Dice(random.split());
    }

    /** From 0 up to, but without, {@code bound}. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    long below(long bound) {
        return random.nextLong(bound);
    }

    boolean chance(double probability) {
        return uniform() < probability;
    }

    /** From 0 to 1, without 1. */
    double uniform() {
        return (random.nextLong() >>> 11) * 0x1.0p-53;
    }

    double between(double from, double to) {
        return from + (to - from) * uniform();
    }

    /** A time of the exponential distribution, in microseconds. */
    long exponential(double meanMicros) {
        return (long) (-StrictMath.log(1 - uniform()) * meanMicros);
    }

    /** A number from 1 on, of the geometric distribution. */
    int geometric(double mean) {
        int number = 1;
        while (number < 100 && chance(1 - 1 / mean)) {
            number++;
        }
        return number;
    }

    /** A time with a long tail, in microseconds: half are below the median. */
    long thinking(double medianMicros) {
        double sum = 0;
        for (int i = 0; i < 12; i++) {
            sum += uniform();
        }
        return (long) (medianMicros * StrictMath.exp(0.8 * (sum - 6)));
    }

    <T> T choose(List<T> list) {
        return list.get(below(list.size()));
    }
}
