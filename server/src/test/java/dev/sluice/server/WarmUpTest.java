package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WarmUpTest {
    /** Again and again, since nothing of it stays. */
    @Test
    void itGetsAnswers() {
        for (int i = 0; i < 3; i++) {
            assertThat(WarmUp.run()).isTrue();
        }
    }
}
