package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Certificates for tests, made by a real openssl in a folder. */
record Pki(Path folder) {
    private static final char[] PASSWORD = "password".toCharArray();

    /** Makes {@code name.crt} and {@code name.key} of an authority. */
    void authority(String name) {
        openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=" + name + " -keyout "
                + name + ".key -out " + name + ".crt");
    }

    /** Makes {@code name.crt} and {@code name.key} for this machine, signed by an authority. */
    void issue(String name, String authority) {
        openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=" + name
                + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -CA " + authority + ".crt -CAkey " + authority
                + ".key -keyout " + name + ".key -out " + name + ".crt");
    }

    void openssl(String args) {
        List<String> words = new ArrayList<>(List.of("openssl"));
        words.addAll(List.of(args.split(" ", -1)));
        try {
            Process process = new ProcessBuilder(words)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError("openssl " + args + ": " + said);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /** Puts a copy of a file in the place of another, in one step. */
    void replace(String name, String by) throws IOException {
        Path copy = Files.copy(file(by), file(name + ".new"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(copy, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** A client that trusts an authority, and shows a certificate if there is one. */
    SSLContext client(String authority, @Nullable String own) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("authority", certificate(authority));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyStore shown = KeyStore.getInstance("PKCS12");
        shown.load(null, null);
        if (own != null) {
            shown.setKeyEntry("own", key(own), PASSWORD, new Certificate[] {certificate(own)});
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(shown, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    Certificate certificate(String name) throws GeneralSecurityException, IOException {
        try (InputStream pem = Files.newInputStream(file(name + ".crt"))) {
            return CertificateFactory.getInstance("X.509").generateCertificate(pem);
        }
    }

    private PrivateKey key(String name) throws GeneralSecurityException, IOException {
        String pem = Files.readString(file(name + ".key")).replaceAll("-----.*-----", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem)));
    }
}
