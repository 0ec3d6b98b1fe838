package dev.sluice.simulate.suggest.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientKeyTest {
    /** As the key of a rule. */
    @ParameterizedTest
    @CsvSource({
        "203.0.113.9, 203.0.113.9",
        "203.0.113.9:8080, 203.0.113.9",
        "::ffff:203.0.113.9, 203.0.113.9",
        "2001:DB8:0:0:1:2:3:4, 2001:db8::/64",
        "64:ff9b::203.0.113.9, 203.0.113.9",
        "203.0.113.009, invalid",
        "203.0.113.256, invalid",
        "203.0.113, invalid",
        "garbage, invalid",
    })
    void addressesAreCanonical(String text, String key) {
        assertThat(ClientKey.address(text)).isEqualTo(key);
    }
}
