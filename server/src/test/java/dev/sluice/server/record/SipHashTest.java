package dev.sluice.server.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The vectors of the paper: key 00 01 … 0f, and messages 00 01 02 … of each length. */
class SipHashTest {
    private final SipHash hash = new SipHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

    private static String message(int bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bytes; i += 2) {
            text.append((char) (i | (i + 1) << 8));
        }
        return text.toString();
    }

    @Test
    void textsAreTheirCharactersOf16Bits() {
        assertThat(hash.of(message(0))).isEqualTo(0x726fdb47dd0e0e31L);
        assertThat(hash.of(message(2))).isEqualTo(0x0d6c8009d9a94f5aL);
        assertThat(hash.of(message(8))).isEqualTo(0x93f5f5799a932462L);
        assertThat(hash.of(message(14))).isEqualTo(0xf723ca908e7af2eeL);
        assertThat(hash.of(message(16))).isEqualTo(0x3f2acc7f57c29bdbL);
    }

    @Test
    void aNumberIsItsEightBytes() {
        assertThat(hash.of(0x0706050403020100L)).isEqualTo(hash.of(message(8)));
    }
}
