package dev.sluice.redis;

import static dev.sluice.redis.ConnectionTest.assertThatItLimits;
import static dev.sluice.redis.ConnectionTest.storeOn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.redis.RedisStoreBuilder.Client;
import dev.sluice.redis.servers.RedisBinary;
import dev.sluice.redis.servers.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis over TLS, with certificates that sign themselves. */
@Timeout(60)
class ConnectionTlsTest {
    private static final String PASSWORD = "secret";

    @TempDir
    static Path folder;

    private static Certificate ours;
    private static Certificate elsewhere;

    /** A certificate and its key: both in PKCS #12, and each in PEM. */
    private record Certificate(Path keyStore, Path certificate, Path key) {
        static Certificate of(String host) throws IOException, GeneralSecurityException, InterruptedException {
            Path keyStore = folder.resolve(host + ".p12");
            Process keytool = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "redis",
                            "-keyalg",
                            "EC",
                            "-validity",
                            "2",
                            "-dname",
                            "CN=Sluice test",
                            "-ext",
                            "san=" + (Character.isDigit(host.charAt(0)) ? "ip:" : "dns:") + host,
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            keyStore.toString(),
                            "-storepass",
                            PASSWORD))
                    .inheritIO()
                    .start();
            assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(keyStore)) {
                store.load(in, PASSWORD.toCharArray());
            }
            return new Certificate(
                    keyStore,
                    pem(
                            host + ".crt",
                            "CERTIFICATE",
                            store.getCertificate("redis").getEncoded()),
                    pem(
                            host + ".key",
                            "PRIVATE KEY",
                            store.getKey("redis", PASSWORD.toCharArray()).getEncoded()));
        }

        private static Path pem(String name, String what, byte[] bytes) throws IOException {
            return Files.writeString(
                    folder.resolve(name),
                    "-----BEGIN " + what + "-----\n"
                            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END " + what
                            + "-----\n");
        }
    }

    /** A server with a port for TLS beside its plain one. */
    private record TlsServer(RedisServer server, int port) implements AutoCloseable {
        static TlsServer start(Certificate certificate, String authClients) {
            int port = RedisServer.freePort();
            IllegalStateException failure = null;
            for (RedisBinary binary : RedisBinary.all()) {
                try {
                    return new TlsServer(
                            RedisServer.start(
                                    binary,
                                    "--tls-port",
                                    Integer.toString(port),
                                    "--tls-cert-file",
                                    certificate.certificate.toString(),
                                    "--tls-key-file",
                                    certificate.key.toString(),
                                    "--tls-ca-cert-file",
                                    certificate.certificate.toString(),
                                    "--tls-auth-clients",
                                    authClients),
                            port);
                } catch (IllegalStateException e) {
                    failure = e;
                }
            }
            return abort("no redis-server here can do TLS: " + failure);
        }

        String url() {
            return "rediss://127.0.0.1:" + port;
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @BeforeAll
    static void certificates() throws IOException, GeneralSecurityException, InterruptedException {
        ours = Certificate.of("127.0.0.1");
        elsewhere = Certificate.of("redis.example");
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aCertificateThatWeTrust(Client client) {
        try (TlsServer server = TlsServer.start(ours, "no");
                RedisStore store =
                        storeOn(client, server.url()).trust(ours.certificate).build()) {
            assertThatItLimits(store);
            assertThat(server.server.keys()).containsExactly("sluice:{login:alice}:1F1h");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aServerThatAsksWhoWeAre(Client client) {
        try (TlsServer server = TlsServer.start(ours, "yes")) {
            try (RedisStore store = storeOn(client, server.url())
                    .trust(ours.certificate)
                    .identity(ours.keyStore, PASSWORD)
                    .build()) {
                assertThatItLimits(store);
            }
            assertThat(saidOf(storeOn(client, server.url()).trust(ours.certificate)))
                    .contains("cannot connect to " + server.url() + ": ");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aCertificateThatNobodyTrusts(Client client) {
        try (TlsServer server = TlsServer.start(ours, "no")) {
            assertThat(saidOf(storeOn(client, server.url())))
                    .contains("cannot connect to " + server.url() + ": ")
                    .contains("unable to find valid certification path");
            assertThat(saidOf(storeOn(client, server.url()).trust(elsewhere.certificate)))
                    .contains("cannot connect to " + server.url() + ": ");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.class)
    void aCertificateForAnotherHost(Client client) {
        try (TlsServer server = TlsServer.start(elsewhere, "no")) {
            assertThat(saidOf(storeOn(client, server.url()).trust(elsewhere.certificate)))
                    .contains("cannot connect to " + server.url() + ": ")
                    .contains("127.0.0.1");
        }
    }

    @Test
    void trustIsForTlsAndInTheRightForm() {
        assertThatThrownBy(() -> RedisStore.builder()
                        .url("redis://h")
                        .trust(ours.certificate)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "trust and identity are for TLS, but redis://h:6379 does not use it: write rediss");
        assertThatThrownBy(() -> RedisStore.builder().trust(ours.key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(ours.key.toString());
        assertThatThrownBy(() -> RedisStore.builder().identity(ours.keyStore, "wrong"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("password was incorrect");
    }

    private static String saidOf(RedisStoreBuilder builder) {
        try (ConnectionFailingTest.Log log = new ConnectionFailingTest.Log();
                RedisStore store = builder.onFailure(OnFailure.DENY).build()) {
            assertThat(store.limiter("login", Limit.fixedWindow(3, Duration.ofHours(1)))
                            .tryAcquire("alice"))
                    .isFalse();
            return log.text();
        }
    }
}
