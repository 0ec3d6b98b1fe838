package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "250us, PT0.00025S, 250us",
        "500ms, PT0.5S, 500ms",
        "0s, PT0S, 0s",
        "10s, PT10S, 10s",
        "60s, PT1M, 1m",
        "90m, PT90M, 90m",
        "1h30m, PT90M, 90m",
        "2h, PT2H, 2h",
        "1d, P1D, 1d",
        "7d, P7D, 1w",
        "1w, P7D, 1w",
        "2w, P14D, 2w",
        "1w1d, P8D, 8d",
        "1w2d3h4m5s6ms7us, P9DT3H4M5.006007S, 788645006007us",
        "1029245726984us, PT285H54M5.726984S, 1029245726984us",
        "999999999999w, P6999999999993D, 999999999999w",
    })
    void readsAndWrites(String text, Duration duration, String written) {
        assertThat(Durations.parse(text)).isEqualTo(duration);
        if (duration.toDays() < Limit.MAX_PERIOD.toDays()) {
            assertThat(Durations.text(duration)).isEqualTo(written);
            assertThat(Durations.parse(written)).isEqualTo(duration);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s",
                "1",
                "1 m",
                "1m ",
                "-1s",
                "1.5s",
                "1x",
                "1m1h",
                "1m1m",
                "1M",
                "minute",
                "1234567890123456s",
                "999999999999999w"
            })
    void refusesTheRest(String text) {
        assertThat(Durations.parse(text)).isNull();
        assertThatThrownBy(() -> Durations.parse("--per", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--per must be a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w, was '" + text + "'");
    }

    @Test
    void writesNoDurationThatItCouldNotRead() {
        for (Duration none :
                new Duration[] {Duration.ofSeconds(-90), Duration.ofNanos(-1), ChronoUnit.FOREVER.getDuration()}) {
            assertThatThrownBy(() -> Durations.text(none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a duration must be 0 to 292,000 years, was " + none);
        }
    }

    @Test
    void roundsPartsOfAMicrosecondUp() {
        assertThat(Durations.text(Duration.ofNanos(1))).isEqualTo("1us");
        assertThat(Durations.text(Duration.ofNanos(59_999_999_001L))).isEqualTo("1m");
    }

    @ParameterizedTest
    @CsvSource({
        "second, SECONDS",
        "minute, MINUTES",
        "hour, HOURS",
        "day, DAYS",
        "week, WEEKS",
        "month, MONTHS",
        "year, YEARS"
    })
    void namesUnits(String word, ChronoUnit unit) {
        assertThat(Durations.unit(word)).isEqualTo(unit);
        assertThat(Durations.word(unit)).isEqualTo(word);
    }

    @Test
    void namesNoOtherUnits() {
        assertThat(Durations.unit("fortnight")).isNull();
        assertThatThrownBy(() -> Durations.word(ChronoUnit.DECADES))
                .hasMessage("unit must be from SECONDS to YEARS, was Decades");
    }
}
