package dev.sluice.spi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The SHA-256 digest that is kept in place of a long key, so that keys cannot fill the memory. */
public record HashedKey(long a, long b, long c, long d) {
    /** Keys of up to this length are kept as they are. */
    public static final int MAX_LENGTH = 256;

    /** The key as it is kept: itself, or its digest if it is long. */
    public static Object of(String key) {
        return key.length() <= MAX_LENGTH ? key : digest(key);
    }

    private static HashedKey digest(String key) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            // UTF-16, since it keeps unpaired surrogates apart
            ByteBuffer digest = ByteBuffer.wrap(sha.digest(key.getBytes(StandardCharsets.UTF_16BE)));
            return new HashedKey(digest.getLong(), digest.getLong(), digest.getLong(), digest.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
