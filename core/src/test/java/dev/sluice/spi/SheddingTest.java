package dev.sluice.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SheddingTest {
    private static final int ROUNDS = 20_000;
    private static final Duration HOUR = Duration.ofHours(1);

    private final Shedding shedding = new Shedding(10, 7);

    @Test
    void aFirstRequestIsNeverShed() {
        Limit five = Limit.slidingLog(5, HOUR);
        for (int i = 0; i < 1000; i++) {
            Limiter unused = Limiter.local(five);
            assertThat(unused.withShare(shedding.share(List.of(five), 1))
                            .decide("k")
                            .outcome())
                    .hasToString("ALLOWED");
        }
        assertThat(shedding.sheds(0, 5)).isFalse();
    }

    /** The share that is drawn, and the draw on what is in use, deny equally often. */
    @Test
    void aShareDeniesAsOftenAsALookAtTheState() {
        for (long capacity : new long[] {5, 60, 100, 1000, Limit.MAX_PERMITS}) {
            List<Limit> limits = List.of(Limit.fixedWindow(capacity, HOUR));
            for (int tenth = 0; tenth < 10; tenth++) {
                long used = capacity / 10 * tenth;
                int byState = 0;
                int byShare = 0;
                for (int i = 0; i < ROUNDS; i++) {
                    byState += shedding.sheds(used, capacity) ? 1 : 0;
                    byShare += used + 1 > room(capacity, shedding.share(limits, 1)) ? 1 : 0;
                }
                double from = Math.floorDiv(capacity, 10);
                double chance = Math.max(0, (used - from) / (capacity - from));
                assertThat((double) byState / ROUNDS).isCloseTo(chance, within(0.02));
                assertThat((double) byShare / ROUNDS).isCloseTo(chance, within(0.03));
            }
        }
    }

    @Test
    void aShareHasRoomForTheRequest() {
        Limit bucket = Limit.tokenBucket(10, HOUR).burst(20);
        for (int i = 0; i < 1000; i++) {
            assertThat(shedding.share(List.of(bucket), 20)).isEqualTo(100);
            assertThat(shedding.share(List.of(bucket), Long.MAX_VALUE)).isEqualTo(100);
            assertThat(shedding.share(List.of(bucket), 7)).isBetween(45, 100);
            assertThat(shedding.share(List.of(Limit.concurrency(1)), 0)).isBetween(1, 100);
        }
    }

    private static long room(long capacity, int percent) {
        return capacity * percent / 100;
    }
}
