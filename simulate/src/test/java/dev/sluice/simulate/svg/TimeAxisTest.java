package dev.sluice.simulate.svg;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeAxisTest {
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
        assertThat(TimeAxis.rounded(micros)).isEqualTo(text);
    }
}
