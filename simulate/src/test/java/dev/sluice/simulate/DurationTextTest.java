package dev.sluice.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "0s,0",
        "5us,5",
        "250ms,250000",
        "10s,10000000",
        "90s,90000000",
        "2m,120000000",
        "36h,129600000000",
        "1d,86400000000"
    })
    void readsWhatItWrites(String text, long micros) {
        assertThat(Micros.of(DurationText.parse("x", text))).isEqualTo(micros);
        assertThat(DurationText.format(micros)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0,0us",
        "999,999us",
        "1000,1ms",
        "1001,1.1ms",
        "999999,1000ms",
        "8900000,8.9s",
        "8900001,9s",
        "90000000,1.5m",
        "9000000000,2.5h"
    })
    void roundsUpToATenth(long micros, String text) {
        assertThat(DurationText.rounded(micros)).isEqualTo(text);
    }
}
