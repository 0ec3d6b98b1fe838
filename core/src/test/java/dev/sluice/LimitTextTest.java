package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** A limit gives its own numbers, and its text as a rule file has it. */
class LimitTextTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @Test
    void writesEveryAlgorithm() {
        assertText(Limit.fixedWindow(100, Duration.ofDays(7)), "100 per 1w fixed-window");
        assertText(Limit.fixedWindow(100, MINUTE).aligned(), "100 per 1m fixed-window aligned=epoch");
        assertText(
                Limit.fixedWindow(100, Duration.ofDays(1)).aligned(BERLIN),
                "100 per 1d fixed-window aligned=Europe/Berlin");
        assertText(Limit.slidingWindow(100, MINUTE, 6), "100 per 1m sliding-window slices=6");
        assertText(Limit.slidingWindow(100, MINUTE, 6).weighted(), "100 per 1m sliding-window slices=6 weighted");
        assertText(Limit.slidingLog(5, Duration.ofMinutes(90)), "5 per 90m sliding-log");
        assertText(Limit.tokenBucket(10, Duration.ofMillis(100)).burst(20), "10 per 100ms token-bucket burst=20");
        assertText(Limit.leakyBucket(1, MINUTE).capacity(5), "1 per 1m leaky-bucket capacity=5");
        assertText(Limit.leakyBucket(1, MINUTE).queue(), "1 per 1m leaky-bucket capacity=1 queue");
        assertText(Limit.concurrency(20), "20 at once");
    }

    @Test
    void writesUnitsOfTheCalendarByName() {
        assertText(
                Limit.fixedWindow(100, ChronoUnit.MONTHS, BERLIN), "100 per month fixed-window aligned=Europe/Berlin");
        assertText(Limit.fixedWindow(100, ChronoUnit.YEARS, ZoneId.of("UTC")), "100 per year fixed-window aligned=UTC");
        assertText(Limit.fixedWindow(100, ChronoUnit.WEEKS, BERLIN), "100 per 1w fixed-window aligned=Europe/Berlin");
    }

    @Test
    void givesItsNumbers() {
        Limit bucket = Limit.tokenBucket(10, MINUTE).burst(20);
        assertThat(bucket.permits()).isEqualTo(10);
        assertThat(bucket.period()).isEqualTo(MINUTE);
        assertThat(bucket.capacity()).isEqualTo(20);
        assertThat(bucket.algorithm()).isEqualTo("token-bucket");
        assertThat(bucket.holds()).isFalse();
        assertThat(bucket.delays()).isFalse();
        assertThat(Limit.leakyBucket(1, MINUTE).queue().delays()).isTrue();
        assertThat(Limit.concurrency(3).holds()).isTrue();
        assertThat(Limit.concurrency(3).period()).isNull();
    }

    private static void assertText(Limit limit, String text) {
        assertThat(limit.text()).isEqualTo(text);
        assertThat(limit).hasToString(text);
    }
}
