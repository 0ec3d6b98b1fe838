package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HeapSizeTest {
    private static final long REFERENCE = Runtime.getRuntime().maxMemory() < 32L << 30 ? 4 : 8;

    @Test
    void objectsHaveAHeaderAndAreRoundedUp() {
        assertThat(HeapSize.object(0, 0)).isEqualTo(16);
        assertThat(HeapSize.object(0, 4)).isEqualTo(16);
        assertThat(HeapSize.object(0, 5)).isEqualTo(24);
        assertThat(HeapSize.object(10, 4)).isEqualTo(16 + 10 * REFERENCE);
    }

    @Test
    void arraysHaveALongerHeader() {
        assertThat(HeapSize.longs(0)).isEqualTo(16);
        assertThat(HeapSize.longs(5)).isEqualTo(56);
        assertThat(HeapSize.references(10)).isEqualTo(16 + 10 * REFERENCE);
    }

    @Test
    void stringsTakeAByteForACharacterOrTwo() {
        long object = HeapSize.object(1, 6);
        assertThat(HeapSize.string("")).isEqualTo(object + 16);
        assertThat(HeapSize.string("a\u00FFccc")).isEqualTo(object + 24);
        assertThat(HeapSize.string("a\u0100ccc")).isEqualTo(object + 32);
    }

    @Test
    void aLongerArrayIsReservedFirst() {
        CountedMemory memory = new CountedMemory(40);
        assertThat(memory.longer(4, 9)).hasSize(9);
        assertThat(memory.longer(9, 10)).isNull();
        assertThat(memory.asked).containsExactly(40L, 8L);
        assertThat(memory.available()).isZero();
        assertThat(Memory.UNBOUNDED.available()).isEqualTo(Long.MAX_VALUE);
        assertThat(Memory.UNBOUNDED.longer(4, 9)).hasSize(9);
    }

    @Test
    void whatCannotBeAllocatedIsNotReserved() {
        CountedMemory memory = new CountedMemory(100);
        assertThatThrownBy(() -> memory.longer(4, -1)).isInstanceOf(NegativeArraySizeException.class);
        assertThat(memory.asked).hasSize(1);
        assertThat(memory.available()).isEqualTo(100);
    }
}
