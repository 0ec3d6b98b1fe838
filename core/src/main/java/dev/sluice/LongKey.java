package dev.sluice;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Stands for a key too long to be kept: its SHA-256 digest, so that no caller can make a limiter hold on to much. */
record LongKey(long a, long b, long c, long d) {
    /** The longest key that is kept as it is. */
    static final int MAX_LENGTH = 256;

    /** What {@code key} is kept as. */
    static Object of(String key) {
        return key.length() <= MAX_LENGTH ? key : digest(key);
    }

    private static LongKey digest(String key) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            // UTF-16, since it keeps unpaired surrogates apart
            ByteBuffer digest = ByteBuffer.wrap(sha.digest(key.getBytes(StandardCharsets.UTF_16BE)));
            return new LongKey(digest.getLong(), digest.getLong(), digest.getLong(), digest.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
