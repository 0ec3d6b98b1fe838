package dev.sluice.server.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.server.tls.PrivateKeys.BadKeyException;
import dev.sluice.server.tls.TlsFiles.Contents;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of a port with its key, checked, and whose certificates of clients it accepts.
 *
 * @param expires when the certificate of the server does
 */
record Certificates(X509KeyManager server, @Nullable TrustManagerFactory clients, Instant expires) {
    private static final char[] IN_MEMORY = "in-memory".toCharArray();

    /**
     * Parses what the files hold.
     *
     * @throws TlsException if something is wrong with them
     */
    static Certificates parse(TlsFiles files, Contents contents) {
        List<X509Certificate> chain = certificates(files, "cert", files.certificate(), contents.certificate());
        X509Certificate own = chain.get(0);
        PrivateKey key;
        try {
            key = PrivateKeys.parse(contents.key(), contents.keyPassword(), own.getPublicKey());
        } catch (BadKeyException e) {
            boolean password = e.passwordIsWrong;
            throw files.problem(
                    password ? "key-password-file" : "key",
                    password ? files.keyPassword() : files.key(),
                    e.getMessage() + (password ? " (" + files.key() + ")" : ""));
        }
        Path authorities = files.clientAuthorities();
        String text = contents.clientAuthorities();
        try {
            return new Certificates(
                    keyManager(key, chain),
                    authorities == null || text == null
                            ? null
                            : trust(certificates(files, "client-ca", authorities, text)),
                    own.getNotAfter().toInstant());
        } catch (GeneralSecurityException | IOException e) {
            throw files.problem("cert", files.certificate(), "this Java cannot use the certificate: " + e);
        }
    }

    private static List<X509Certificate> certificates(TlsFiles files, String option, Path file, String pem) {
        List<X509Certificate> all = new ArrayList<>();
        try {
            for (Certificate each : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(ISO_8859_1)))) {
                all.add((X509Certificate) each);
            }
        } catch (CertificateException e) {
            throw files.problem(option, file, "there is no certificate in PEM in it, or a damaged one");
        }
        if (all.isEmpty()) {
            throw files.problem(option, file, "there is no certificate in PEM in it (-----BEGIN CERTIFICATE-----)");
        }
        return all;
    }

    private static X509KeyManager keyManager(PrivateKey key, List<X509Certificate> chain)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("server", key, IN_MEMORY, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, IN_MEMORY);
        return (X509KeyManager) factory.getKeyManagers()[0];
    }

    private static TrustManagerFactory trust(List<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (int i = 0; i < authorities.size(); i++) {
            store.setCertificateEntry("authority-" + i, authorities.get(i));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory;
    }

    /** Makes a port use these. */
    void apply(HttpServerOptions options) {
        options.setSsl(true).setUseAlpn(true).setKeyCertOptions(KeyCertOptions.wrap(server));
        if (clients != null) {
            options.setTrustOptions(TrustOptions.wrap(clients.getTrustManagers()[0]))
                    .setClientAuth(ClientAuth.REQUIRED);
        }
    }
}
