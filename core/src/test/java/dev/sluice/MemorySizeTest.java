package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemorySizeTest {
    @ParameterizedTest
    @CsvSource({"1B, 1", "64kb, 65536", "256MB, 268435456", "256 MB, 268435456", "2GB, 2147483648"})
    void readsSizes(String text, long bytes) {
        assertThat(MemorySize.parse(text)).isEqualTo(bytes);
    }

    @Test
    void readsPartsOfTheHeap() {
        long heap = Runtime.getRuntime().maxMemory();
        assertThat(MemorySize.parse("100%")).isEqualTo(heap);
        assertThat(MemorySize.parse("25%")).isBetween(heap / 4 - 1, heap / 4);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "MB", "256", "-1MB", "1.5GB", "0MB", "0%", "101%", "12TB", "9999999999GB", "256 potatoes"})
    void refusesEverythingElse(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemorySize.parse(text))
                .withMessageContaining("was '" + text + "'");
    }
}
