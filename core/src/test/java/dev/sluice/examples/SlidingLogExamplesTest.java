package dev.sluice.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SlidingLogExamplesTest {
    @Test
    @DisplayName("5 per 10 s: the 6th must wait until the first is 10 s old, however often it asks")
    void fivePerTenSeconds() {
        Scene log = Scene.of(Limit.slidingLog(5, ofSeconds(10)));
        for (double second : new double[] {1, 2.8, 4, 5.5, 7}) {
            assertThat(log.atSeconds(second).calls(1)).as("at %s", second).isEqualTo("A");
        }

        Decision sixth = log.atSeconds(8).decide(1);
        assertThat(sixth.allowed()).isFalse();
        assertThat(sixth.retryAfter()).isEqualTo(ofSeconds(3));

        for (int i = 0; i < 100; i++) {
            assertThat(log.atMillis(8000 + 30L * i).calls(1)).isEqualTo("D");
        }
        assertThat(log.atMicros(10_999_999).calls(1)).isEqualTo("D");
        assertThat(log.atMicros(11_000_000).peek().allowed()).isTrue();

        Decision later = log.atSeconds(11.1).decide(1);
        assertThat(later.allowed()).isTrue();
        assertThat(later.remaining()).isZero();
        assertThat(log.decide(1).retryAfter())
                .as("the oldest is now that of 2.8")
                .isEqualTo(ofMillis(1700));
    }

    @Test
    @DisplayName("5 per 1000 ms: at 1201 one entry has left, not two")
    void oneHasLeft() {
        Scene log = Scene.of(Limit.slidingLog(5, ofSeconds(1)));
        for (long millis : new long[] {200, 400, 800, 900, 950}) {
            assertThat(log.atMillis(millis).calls(1)).isEqualTo("A");
        }
        assertThat(log.atMillis(1000).calls(1)).isEqualTo("D");
        assertThat(log.atMillis(1201).remaining()).isEqualTo(1);
        assertThat(log.calls(2)).isEqualTo("AD");
    }

    @Test
    @DisplayName("2 per 10 s on a named key: another key is untouched")
    void namedKey() {
        Scene log = Scene.of(Limit.slidingLog(2, ofSeconds(10)));
        assertThat(log.calls("ip:203.0.113.9", 3, 1)).isEqualTo("AAD");
        assertThat(log.calls("ip:203.0.113.10", 3, 1)).isEqualTo("AAD");
        assertThat(log.calls(3)).isEqualTo("AAD");
    }

    @Test
    @DisplayName("10 per 3 s, 15 calls in one microsecond: each is an entry of its own")
    void sameMicrosecond() {
        Scene log = Scene.of(Limit.slidingLog(10, ofSeconds(3)));
        assertThat(log.calls(15)).isEqualTo("AAAAAAAAAADDDDD");
        assertThat(log.atSeconds(4).calls(1)).isEqualTo("A");
    }

    @Test
    @DisplayName("3 per 1000 ms, called every 200 ms")
    void steady() {
        Scene log = Scene.of(Limit.slidingLog(3, ofSeconds(1)));
        assertThat(log.callsEvery(ofMillis(200), 10, 1)).isEqualTo("AAADDAAADD");
    }
}
