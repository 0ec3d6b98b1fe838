package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AvailabilityTargetTest {
    @ParameterizedTest
    @CsvSource({"99.9%,0.999", "99.9,0.999", "99.99 %,0.9999", "' 50% ',0.5", "99.999999%,0.99999999"})
    void aPercentage(String text, double target) {
        assertThat(AvailabilityTarget.parse(text)).isEqualTo(target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "100%", "100", "0%", "0.0", "-1%", "1e1%", "99,9%", "NaN", "all", "99.9999999%"})
    void somethingElse(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AvailabilityTarget.parse(text))
                .withMessageContaining("more than 0 and less than 100");
    }
}
