package dev.sluice.server.record;

/**
 * SipHash-2-4, a hash with a key. Nobody who lacks the key can tell which values have which hash, and so cannot try all
 * addresses, or choose those that a sample leaves out.
 *
 * @see <a href="https://www.aumasson.jp/siphash/siphash.pdf">Aumasson, Bernstein: SipHash, a fast short-input PRF</a>
 */
final class SipHash {
    private final long key0;
    private final long key1;

    SipHash(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    /** The hash of one number. */
    long of(long value) {
        State state = new State(key0, key1);
        state.add(value);
        return state.end(Long.BYTES, 0);
    }

    /** The hash of a text, as its characters of 16 bits. */
    long of(String text) {
        State state = new State(key0, key1);
        int length = text.length();
        int whole = length & ~3;
        for (int i = 0; i < whole; i += 4) {
            state.add(text.charAt(i)
                    | (long) text.charAt(i + 1) << 16
                    | (long) text.charAt(i + 2) << 32
                    | (long) text.charAt(i + 3) << 48);
        }
        long rest = 0;
        for (int i = whole; i < length; i++) {
            rest |= (long) text.charAt(i) << (16 * (i - whole));
        }
        return state.end(2L * length, rest);
    }

    private static final class State {
        private long v0;
        private long v1;
        private long v2;
        private long v3;

        State(long key0, long key1) {
            v0 = key0 ^ 0x736f6d6570736575L;
            v1 = key1 ^ 0x646f72616e646f6dL;
            v2 = key0 ^ 0x6c7967656e657261L;
            v3 = key1 ^ 0x7465646279746573L;
        }

        void add(long word) {
            v3 ^= word;
            round();
            round();
            v0 ^= word;
        }

        /** Adds the bytes that fill no word, with the length of all, and ends. */
        long end(long bytes, long rest) {
            add(bytes << 56 | rest);
            v2 ^= 0xff;
            round();
            round();
            round();
            round();
            return v0 ^ v1 ^ v2 ^ v3;
        }

        private void round() {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
