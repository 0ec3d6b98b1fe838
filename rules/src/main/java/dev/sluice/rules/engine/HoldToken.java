package dev.sluice.rules.engine;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
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

    private static final int VERSION = 2;

    /** The texts are written character by character, since a key may have half a pair of surrogates. */
    String text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            for (Held held : holds) {
                out.writeLong(held.id);
                out.writeUTF(held.limiter);
                out.writeUTF(held.key);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a token that cannot be written, of " + holds, e);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    }

    /** Reads a token; null if the text is none. */
    static @Nullable HoldToken parse(String text) {
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
            if (in.read() != VERSION) {
                return null;
            }
            List<Held> holds = new ArrayList<>();
            while (in.available() > 0) {
                long id = in.readLong();
                holds.add(new Held(in.readUTF(), in.readUTF(), id));
            }
            return holds.isEmpty() ? null : new HoldToken(holds);
        } catch (IllegalArgumentException | IOException e) {
            return null;
        }
    }
}
