package dev.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The soak in its short form: good clients get their answers, whatever others do. */
@Tag("full")
class SoakTest {
    @Test
    @Timeout(180)
    void goodClientsDoNotNotice() {
        assertThat(Soak.run(List.of("--short"), System.out)).isZero();
    }
}
