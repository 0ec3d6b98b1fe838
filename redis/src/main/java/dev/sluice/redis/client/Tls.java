package dev.sluice.redis.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of a TLS connection.
 *
 * @param trust the certificates to trust, or null for those that the JDK trusts
 * @param identity our own certificate and key, or null for none
 */
public record Tls(
        @Nullable TrustManagerFactory trust, @Nullable KeyManagerFactory identity) {
    /** The JDK's trusted certificates, and none of our own. */
    public static final Tls DEFAULT = new Tls(null, null);

    /** A copy that trusts only the certificates in a PEM file. */
    public Tls withTrust(Path certificates) {
        try (InputStream in = Files.newInputStream(certificates)) {
            Collection<? extends Certificate> all =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (all.isEmpty()) {
                throw new IllegalArgumentException("there is no certificate in " + certificates);
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (Certificate each : all) {
                store.setCertificateEntry("trusted-" + store.size(), each);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return new Tls(factory, identity);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("not certificates in PEM: " + certificates + ": " + e, e);
        }
    }

    /** A copy that presents the certificate in a PKCS #12 file. */
    public Tls withIdentity(Path keyStore, String password) {
        try (InputStream in = Files.newInputStream(keyStore)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, password.toCharArray());
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password.toCharArray());
            return new Tls(trust, factory);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("no certificate and key in PKCS #12: " + keyStore + ": " + e, e);
        }
    }

    SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    identity == null ? null : identity.getKeyManagers(),
                    trust == null ? null : trust.getTrustManagers(),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has TLS", e);
        }
    }
}
