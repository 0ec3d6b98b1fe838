package dev.sluice.server.cli;

import dev.sluice.server.tls.TlsFiles;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for TLS, of each port its own. */
final class TlsOptions {
    /** In the help they stand after those that everybody needs. */
    private static final int LAST = 1;

    @Option(
            names = "--tls-cert",
            order = LAST,
            paramLabel = "FILE",
            description = "The certificate of the data port and its chain, in PEM: turns TLS on. All files of TLS are"
                    + " read again when they change. Default: no TLS.")
    private @Nullable Path cert;

    @Option(
            names = "--tls-key",
            order = LAST,
            paramLabel = "FILE",
            description = "The key of that certificate, in PEM.")
    private @Nullable Path key;

    @Option(
            names = "--tls-key-password-file",
            order = LAST,
            paramLabel = "FILE",
            description = "The password of the key, if it is encrypted.")
    private @Nullable Path keyPasswordFile;

    @Option(
            names = "--tls-client-ca",
            order = LAST,
            paramLabel = "FILE",
            description = "Certificates in PEM, one of which must have signed the certificate of every client."
                    + " Default: clients need no certificate.")
    private @Nullable Path clientCa;

    @Option(
            names = "--admin-tls-cert",
            order = LAST,
            paramLabel = "FILE",
            description = "The same for the admin port, which needs its token all the same.")
    private @Nullable Path adminCert;

    @Option(
            names = "--admin-tls-key",
            order = LAST,
            paramLabel = "FILE",
            description = "The key of the admin port's certificate.")
    private @Nullable Path adminKey;

    @Option(
            names = "--admin-tls-key-password-file",
            order = LAST,
            paramLabel = "FILE",
            description = "The password of that key.")
    private @Nullable Path adminKeyPasswordFile;

    @Option(
            names = "--admin-tls-client-ca",
            order = LAST,
            paramLabel = "FILE",
            description = "Who signs the certificates of clients of the admin port.")
    private @Nullable Path adminClientCa;

    /** The files of the data port; null for none. Throws an {@link IllegalArgumentException} if one is missing. */
    @Nullable
    TlsFiles data() {
        return files("--tls-", cert, key, keyPasswordFile, clientCa);
    }

    /** The files of the admin port; null for none. Throws an {@link IllegalArgumentException} if one is missing. */
    @Nullable
    TlsFiles admin() {
        return files("--admin-tls-", adminCert, adminKey, adminKeyPasswordFile, adminClientCa);
    }

    private static @Nullable TlsFiles files(
            String prefix,
            @Nullable Path cert,
            @Nullable Path key,
            @Nullable Path keyPassword,
            @Nullable Path clientCa) {
        if (cert != null && key != null) {
            return new TlsFiles(prefix, cert, key, keyPassword, clientCa);
        }
        if (cert == null && key == null && keyPassword == null && clientCa == null) {
            return null;
        }
        throw new IllegalArgumentException("TLS needs " + prefix + "cert and " + prefix + "key, and "
                + (cert == null && key == null ? "both are" : prefix + (cert == null ? "cert is" : "key is"))
                + " missing");
    }
}
