package dev.sluice.bench.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Law 14 in a small heap: the short form of what {@code ./sluice bench memory} shows. */
@Tag("full")
class MemoryFloodTest {
    @SuppressWarnings("unused") // by name
    private static final java.util.List<String> ALGORITHMS = MemoryFlood.ALGORITHMS;

    @ParameterizedTest
    @FieldSource("ALGORITHMS")
    void keepsThePromises(String algorithm) {
        assertThat(MemoryFlood.fork(algorithm, "64m", 1_000_000))
                .contains("PASS")
                .doesNotContain("FAIL");
    }
}
