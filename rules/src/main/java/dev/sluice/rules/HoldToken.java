package dev.sluice.rules;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The holds of one request as a text that is safe in a URL. It says all that a server needs to release them: the limiter, the
 * key, and the id of the hold in the store. The id cannot be guessed and the store compares it, so nobody can make the token
 * of a hold that he does not have.
 */
record HoldToken(List<Held> holds) {
    /** One hold under a lease. */
    record Held(String limiter, String key, long id) {}

    private static final byte VERSION = 1;
    private static final int MAX_LENGTH = 1 << 16;

    String text() {
        List<byte[]> parts = new ArrayList<>();
        int size = 1;
        for (Held held : holds) {
            parts.add(held.limiter.getBytes(StandardCharsets.UTF_8));
            parts.add(held.key.getBytes(StandardCharsets.UTF_8));
            size += 2 * Integer.BYTES + Long.BYTES;
        }
        size += parts.stream().mapToInt(part -> part.length).sum();
        ByteBuffer bytes = ByteBuffer.allocate(size).put(VERSION);
        for (int i = 0; i < holds.size(); i++) {
            bytes.putLong(holds.get(i).id);
            for (byte[] part : List.of(parts.get(2 * i), parts.get(2 * i + 1))) {
                bytes.putInt(part.length).put(part);
            }
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /** Reads a token; null if the text is none. */
    static @Nullable HoldToken parse(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            return null;
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.get() != VERSION) {
                return null;
            }
            List<Held> holds = new ArrayList<>();
            while (bytes.hasRemaining()) {
                long id = bytes.getLong();
                holds.add(new Held(string(bytes), string(bytes), id));
            }
            return holds.isEmpty() ? null : new HoldToken(holds);
        } catch (IllegalArgumentException | BufferUnderflowException e) {
            return null;
        }
    }

    private static String string(ByteBuffer bytes) {
        int length = bytes.getInt();
        if (length < 0 || length > bytes.remaining()) {
            throw new IllegalArgumentException("a part of " + length + " bytes is longer than the rest");
        }
        byte[] part = new byte[length];
        bytes.get(part);
        return new String(part, StandardCharsets.UTF_8);
    }
}
