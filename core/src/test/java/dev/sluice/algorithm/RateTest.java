package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The arithmetic that nothing else would notice: what is over-full, and what does not fit a word. */
class RateTest {
    private static final long TOO_MANY = 1L << 61;

    @Test
    void multiplyDivideUpIsExactWhateverTheProduct() {
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 20_000; i++) {
            long a = random.nextLong(1L << random.nextInt(1, 62));
            long b = random.nextLong(1L << random.nextInt(1, 62));
            long c = 1 + random.nextLong(1L << random.nextInt(1, 62));
            BigInteger product = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
            BigInteger up = product.add(BigInteger.valueOf(c - 1)).divide(BigInteger.valueOf(c));
            assertThat(Rate.multiplyDivideUp(a, b, c))
                    .as("%d x %d / %d", a, b, c)
                    .isEqualTo(up.min(BigInteger.valueOf(TOO_MANY)).longValueExact());
        }
        assertThat(Rate.multiplyDivideUp(1L << 32, 1L << 31, 1L << 32)).isEqualTo(1L << 31);
        assertThat(Rate.multiplyDivideUp(1L << 32, 1L << 30, 1)).isEqualTo(TOO_MANY);
        assertThat(Rate.multiplyDivideUp(1L << 40, 1L << 40, 1L << 40)).isEqualTo(1L << 40);
        assertThat(Rate.multiplyDivideUp(1L << 40, (1L << 40) + 1, 1L << 41)).isEqualTo((1L << 39) + 1);
    }

    @Test
    void moreThanTheBucketHoldsComesBackToo() {
        Rate rate = Rate.of(3, 10, 5); // weight 10, speed 3, full at 50
        assertThat(rate.left(200, 0)).isEqualTo(200);
        assertThat(rate.left(200, -1)).isEqualTo(200);
        assertThat(rate.left(200, 1)).isEqualTo(197);
        assertThat(rate.left(200, 17)).isEqualTo(149);
        assertThat(rate.left(200, 18)).isEqualTo(146);
        assertThat(rate.left(200, 66)).isEqualTo(2);
        assertThat(rate.left(200, 67)).isZero();
        assertThat(rate.left(200, Long.MAX_VALUE)).isZero();
        assertThat(rate.left(50, 16)).isEqualTo(2);
        assertThat(rate.left(50, 17)).isZero();
        assertThat(rate.left(1, 16)).isZero();
    }

    @Test
    void weightsAreWholeAndDoNotOverflow() {
        Rate rate = Rate.of(6, 20, 5);
        assertThat(rate.weight).isEqualTo(10);
        assertThat(rate.speed).isEqualTo(3);
        assertThat(rate.units(7)).isEqualTo(70);
        assertThat(rate.units(TOO_MANY / 10)).isEqualTo(TOO_MANY / 10 * 10);
        assertThat(rate.units(TOO_MANY / 10 + 1)).isEqualTo(TOO_MANY);
        assertThat(rate.units(Long.MAX_VALUE)).isEqualTo(TOO_MANY);
        assertThat(rate.permits(70)).isEqualTo(7);
        assertThat(rate.permits(71)).isEqualTo(8);
        assertThat(rate.microsFor(9)).isEqualTo(3);
        assertThat(rate.microsFor(10)).isEqualTo(4);
    }

    @Test
    void whatIsUsedWeighsTheSamePermitsAtAnotherRate() {
        Rate third = Rate.of(1, 3, 10);
        Rate seventh = Rate.of(1, 7, 10);
        assertThat(seventh.converted(third.units(4), third)).isEqualTo(seventh.units(4));
        assertThat(third.converted(seventh.units(1) - 1, seventh))
                .as("6/7 of 3, rounded up")
                .isEqualTo(3);
        assertThat(third.converted(2, seventh)).isEqualTo(1);
        assertThat(third.converted(17, third)).isEqualTo(17);
    }

    @Test
    void theLargestBucketThatIsExactIsTheLargestThatIsTaken() {
        assertThatNoException().isThrownBy(() -> Rate.of(1, 1L << 33, 1L << 20));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rate.of(1, 1L << 33, (1L << 20) + 1))
                .withMessageContaining("1048577 x 8589934592");
    }
}
