package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every JDK has. */
final class Digests {
    private static final int SHORT = 4;

    private Digests() {}

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-256", e);
        }
    }

    /** The first eight digits, enough to tell one text from another. */
    static String brief(String text) {
        return HexFormat.of().formatHex(sha256(text.getBytes(UTF_8)), 0, SHORT);
    }
}
