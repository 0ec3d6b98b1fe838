package dev.sluice.server.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files that the TLS of a port is made of.
 *
 * @param prefix what the options begin with that name the files, for messages: {@code --tls-}
 * @param certificate the certificate of the server and its chain, in PEM
 * @param key the key of the certificate, in PEM
 * @param keyPassword the password of the key; null if it is not encrypted
 * @param clientAuthorities the certificates, in PEM, that sign those of clients; null if clients need none
 */
public record TlsFiles(
        String prefix,
        Path certificate,
        Path key,
        @Nullable Path keyPassword,
        @Nullable Path clientAuthorities) {
    private static final int MAX_BYTES = 1 << 20;

    /** What the files hold. */
    record Contents(
            String certificate,
            String key,
            @Nullable String keyPassword,
            @Nullable String clientAuthorities) {
        @Override
        public String toString() {
            return "Contents";
        }
    }

    /**
     * Reads all files.
     *
     * @throws TlsException if one of them cannot be read
     */
    Contents read() {
        String password = keyPassword == null ? null : text("key-password-file", keyPassword);
        return new Contents(
                text("cert", certificate),
                text("key", key),
                password == null ? null : password.lines().findFirst().orElse(""),
                clientAuthorities == null ? null : text("client-ca", clientAuthorities));
    }

    private String text(String option, Path file) {
        if (!Files.exists(file)) {
            throw problem(option, file, "there is no such file");
        }
        if (!Files.isRegularFile(file)) {
            throw problem(option, file, "this is not a file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw problem(option, file, "the file has more than " + MAX_BYTES + " bytes");
            }
            return new String(bytes, ISO_8859_1);
        } catch (AccessDeniedException e) {
            throw problem(option, file, "this process may not read the file");
        } catch (IOException e) {
            throw problem(option, file, "the file cannot be read: " + e);
        }
    }

    /** Says what is wrong with the file that an option names. */
    TlsException problem(String option, @Nullable Path file, String what) {
        return new TlsException(prefix + option + (file == null ? "" : " " + file) + ": " + what);
    }
}
