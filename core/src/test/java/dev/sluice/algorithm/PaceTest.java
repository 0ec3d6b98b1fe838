package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The edges of a pacer's arithmetic; how it behaves is in PacerTest. */
class PaceTest {
    private static final long ANY = Long.MAX_VALUE;

    private static Pace pace(long permitsPerSecond, long warmUpMicros) {
        return new Pace(Rate.of(permitsPerSecond, 1_000_000, 1), warmUpMicros, 0);
    }

    @Test
    void justOneSecondIsSaved() {
        Pace pace = pace(10, 0);
        assertThat(pace.reserve(5_000_000, 11, ANY)).isZero();
        assertThat(pace.reserve(5_000_000, 1, ANY)).as("ten were saved").isEqualTo(100_000);
    }

    @Test
    void aRateThatIsNoWholeNumberOfMicroseconds() {
        Pace pace = pace(3, 0);
        assertThat(pace.reserve(60_000_000, 4, ANY)).isZero();
        assertThat(pace.reserve(60_000_000, 1, ANY)).as("three were saved").isEqualTo(333_334);
        assertThat(pace.reserve(60_500_000, 1, ANY)).isEqualTo(166_667);
        Pace cold = pace(3, 1_000_000);
        assertThat(cold.reserve(0, 3, ANY)).isZero();
        assertThat(cold.reserve(0, 3, ANY)).as("one second's worth, cold").isEqualTo(1_500_000);
        assertThat(cold.reserve(0, 3, ANY)).as("and one warm").isEqualTo(2_500_000);
        assertThat(cold.reserve(3_700_000, 3, ANY)).as("idle for 0.2 s").isZero();
    }

    @Test
    void aWarmUpSavesNothing() {
        Pace pace = pace(10, 1_000_000);
        assertThat(pace.reserve(60_000_000, 10, ANY)).isZero();
        assertThat(pace.reserve(60_000_000, 1, ANY))
                .as("one second's worth, cold")
                .isEqualTo(1_500_000);
    }

    @Test
    void fromColdToWarmInTheWarmUp() {
        Pace pace =
                pace(10, 2_000_000); // 20 permits of coldness: the first ten take the warm-up, the others one second
        assertThat(pace.reserve(0, 10, ANY)).isZero();
        assertThat(pace.reserve(0, 10, ANY)).isEqualTo(2_000_000);
        assertThat(pace.reserve(0, 10, ANY)).isEqualTo(3_000_000);
        assertThat(pace.reserve(0, 1, ANY)).as("warm now").isEqualTo(4_000_000);
        assertThat(pace.reserve(4_100_000 + 500_000, 5, ANY))
                .as("half a second idle")
                .isZero();
        assertThat(pace.reserve(4_600_000, 1, ANY)).as("not yet cold").isEqualTo(500_000);
    }

    @Test
    void aWaitThatIsRefusedTakesNothing() {
        Pace pace = pace(10, 0);
        pace.reserve(0, 10, ANY);
        assertThat(pace.reserve(0, 10, 999_999)).isEqualTo(1_000_000);
        assertThat(pace.reserve(0, 1, 1_000_000)).isEqualTo(1_000_000);
        assertThat(pace.reserve(0, 1, ANY)).isEqualTo(1_100_000);
    }

    @Test
    void theWarmUpHasBounds() {
        long longest = (1L << 53) / 3;
        assertThatNoException().isThrownBy(() -> pace(3_000_000, longest));
        assertThatNoException().isThrownBy(() -> pace(3_000_000, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pace(3_000_000, longest + 1))
                .withMessageContaining(String.valueOf(longest));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pace(3_000_000, -1))
                .withMessageContaining("-1");
    }

    @Test
    void whatWouldTakeForEverIsRefused() {
        Pace pace = pace(1, 0); // a permit weighs 1,000,000 units
        long most = (1L << 60) / 1_000_000;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pace.reserve(0, most + 1, ANY))
                .withMessageContaining(String.valueOf(most + 1))
                .withMessageContaining(most + 1 + " seconds");
        assertThat(pace.reserve(0, most, ANY)).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> pace.reserve(0, 1, ANY));
    }

    @Test
    void aChangeOfRateKeepsTheFractionOfColdness() {
        Pace pace = pace(10, 2_000_000); // 20 permits of coldness
        assertThat(pace.reserve(0, 10, ANY)).isZero();
        pace.change(0, Rate.of(20, 1_000_000, 1)); // half cold still: 20 permits of 40, at full speed from here on
        assertThat(pace.reserve(0, 20, ANY))
                .as("what took 2 s at 10 a second takes half as long")
                .isEqualTo(1_000_000);
        assertThat(pace.reserve(0, 20, ANY)).isEqualTo(2_000_000);
        assertThat(pace.reserve(0, 1, ANY)).as("warm").isEqualTo(3_000_000);
        assertThat(pace.reserve(3_050_000 + 2_000_000, 1, ANY)).as("cold again").isZero();
        assertThat(pace.reserve(5_050_000, 1, ANY))
                .as("three times its time, less a bit")
                .isBetween(145_000L, 150_000L);
    }

    @Test
    void aDebtThatTheNewRateCannotPayIsRefused() {
        Pace pace = pace(1_000_000, 0);
        pace.reserve(0, 1_000_000_000_000L, ANY);
        Rate slow = Rate.of(1, 315_619_200_000_000L, 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pace.change(0, slow))
                .withMessageContaining("1000000000000 permits");
        assertThat(pace.reserve(0, 1, ANY)).as("nothing has changed").isEqualTo(1_000_000_000_000L);
    }

    @Test
    void whatIsUndoneWasNeverTaken() {
        SplittableRandom random = new SplittableRandom(42);
        for (int round = 0; round < 2000; round++) {
            long warmUp = random.nextBoolean() ? 0 : random.nextLong(3_000_000);
            long permits = 1 + random.nextLong(50);
            Pace pace = pace(permits, warmUp);
            Pace replay = pace(permits, warmUp);
            long now = random.nextLong(3_000_000);
            for (int i = 0; i < 3; i++) {
                long taken = 1 + random.nextLong(20);
                pace.reserve(now, taken, ANY);
                replay.reserve(now, taken, ANY);
            }
            long wait = pace.reserve(now, 1 + random.nextLong(30), ANY);
            long reservation = pace.lastReservation();
            now += random.nextLong(wait + 1);
            pace.undo(now, reservation);
            pace.undo(now, reservation); // once only
            for (int i = 0; i < 20; i++) {
                now += random.nextLong(300_000);
                long next = 1 + random.nextLong(5);
                assertThat(pace.reserve(now, next, ANY))
                        .as("round %d", round)
                        .isEqualTo(replay.reserve(now, next, ANY));
            }
        }
    }

    @Test
    void onlyTheLastReservationIsUndone() {
        Pace pace = pace(10, 0);
        pace.reserve(0, 10, ANY);
        pace.reserve(0, 10, ANY);
        long reservation = pace.lastReservation();
        pace.reserve(0, 10, 1_999_999);
        assertThat(pace.lastReservation()).as("a refused one is none").isEqualTo(reservation);
        pace.reserve(0, 10, 2_000_000);
        pace.undo(0, reservation);
        assertThat(pace.reserve(0, 1, ANY)).isEqualTo(3_000_000);
        long last = pace.lastReservation();
        pace.change(0, Rate.of(10, 1_000_000, 1));
        pace.undo(0, last);
        assertThat(pace.reserve(0, 1, ANY)).as("the rate was changed").isEqualTo(3_100_000);
    }

    /** Random calls, clocks and changes of rate, beside a model that keeps the balance as an exact fraction of permits. */
    @Test
    void waitsAsTheModelSays() {
        for (int seed = 0; seed < Integer.getInteger("sluice.traces", 1000); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            PaceModel model = new PaceModel(random.nextLong(5_000_000));
            long now = model.last;
            long permits = anyPermits(random);
            long period = anyPeriod(random);
            model.change(now, permits, period);
            model.slack = Fraction.ZERO; // there was no other rate before
            Pace pace = new Pace(Rate.of(permits, period, 1), 0, now);
            for (int step = 0; step < 40; step++) {
                now += random.nextInt(4) == 0 ? -random.nextLong(period) : random.nextLong(2 * period);
                if (random.nextInt(8) == 0) {
                    permits = anyPermits(random);
                    period = anyPeriod(random);
                    pace.change(now, Rate.of(permits, period, 1));
                    model.change(now, permits, period);
                }
                long cost = 1 + random.nextLong(2 * permits);
                long maxWait = random.nextBoolean() ? ANY : random.nextLong(2 * period);
                long wait = pace.reserve(now, cost, maxWait);
                assertThat(wait)
                        .as("seed %d, step %d", seed, step)
                        .isBetween(model.wait(now, Fraction.ZERO), model.wait(now, model.slack));
                if (wait <= maxWait) {
                    model.balance = model.balance.minus(Fraction.of(cost, 1));
                }
            }
        }
    }

    private static long anyPermits(SplittableRandom random) {
        return 1 + random.nextLong(random.nextBoolean() ? 10 : 2000);
    }

    private static long anyPeriod(SplittableRandom random) {
        return random.nextBoolean() ? 1_000_000 : 1 + random.nextLong(5_000_000);
    }

    private static final class PaceModel {
        private Fraction rate = Fraction.of(1, 1);
        private Fraction balance = Fraction.ZERO;
        private long last;
        /** What the changes of rate may have added to the debt, each by rounding up to a whole unit. */
        private Fraction slack = Fraction.ZERO;

        PaceModel(long now) {
            last = now;
        }

        void idle(long now) {
            if (now > last) {
                balance = balance.plus(rate.times(Fraction.of(now - last, 1))).min(saved());
                last = now;
            }
        }

        void change(long now, long permits, long period) {
            idle(now);
            rate = Fraction.of(permits, period);
            balance = balance.min(saved());
            slack = slack.plus(Fraction.of(1, rate.below().longValueExact()));
        }

        long wait(long now, Fraction more) {
            idle(now);
            Fraction debt = more.minus(balance);
            return Math.max(0, debt.over(rate).roundedUp());
        }

        private Fraction saved() {
            return rate.times(Fraction.of(1_000_000, 1));
        }
    }

    private record Fraction(BigInteger above, BigInteger below) {
        static final Fraction ZERO = of(0, 1);

        static Fraction of(long above, long below) {
            return reduced(BigInteger.valueOf(above), BigInteger.valueOf(below));
        }

        private static Fraction reduced(BigInteger above, BigInteger below) {
            BigInteger common = above.gcd(below).multiply(BigInteger.valueOf(below.signum()));
            return new Fraction(above.divide(common), below.divide(common));
        }

        Fraction plus(Fraction other) {
            return reduced(above.multiply(other.below).add(other.above.multiply(below)), below.multiply(other.below));
        }

        Fraction minus(Fraction other) {
            return plus(new Fraction(other.above.negate(), other.below));
        }

        Fraction times(Fraction other) {
            return reduced(above.multiply(other.above), below.multiply(other.below));
        }

        Fraction over(Fraction other) {
            return reduced(above.multiply(other.below), below.multiply(other.above));
        }

        Fraction min(Fraction other) {
            return minus(other).above.signum() <= 0 ? this : other;
        }

        long roundedUp() {
            BigInteger[] parts = above.divideAndRemainder(below);
            return parts[0].longValueExact() + (parts[1].signum() > 0 ? 1 : 0);
        }
    }
}
