package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.ServerSettings.Address;
import dev.sluice.server.cli.Main;
import dev.sluice.server.ruleset.InitialRules;
import dev.sluice.server.tls.TlsFiles;
import dev.sluice.server.web.Bounds;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS on both ports, with real certificates, real clients, and files that change. */
@Tag("full")
class TlsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    Path folder = Path.of("");

    private Pki pki = new Pki(folder);

    @BeforeEach
    void certificates() throws IOException {
        pki = new Pki(folder);
        pki.authority("ca");
        pki.issue("one", "ca");
        pki.replace("tls.crt", "one.crt");
        pki.replace("tls.key", "one.key");
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void bothPortsSpeakIt(HttpClient.Version version) throws Exception {
        try (SluiceServer server = start(null)) {
            HttpClient client = client(version, null);
            for (URI uri : new URI[] {data(server, "/v1/check?ip=203.0.113.9"), admin(server, "/v1/rules")}) {
                HttpResponse<String> response = get(client, uri);
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.version()).isEqualTo(version);
            }
        }
    }

    /** Plain checks do not pass through Vert.x. */
    @Test
    void checksInAPipeline() throws Exception {
        try (SluiceServer server = start(null);
                RawClient client = new RawClient(connect(server.port()))) {
            String check = "GET /v1/check?cost=0 HTTP/1.1\r\nHost: x\r\n\r\n";
            String last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
            client.send(check.repeat(100) + last);
            for (int i = 0; i < 100; i++) {
                assertThat(Objects.requireNonNull(client.next()).body()).startsWith("{\"allowed\":true,");
            }
            assertThat(Objects.requireNonNull(client.next()).body()).isEqualTo("ok\n");
            assertThat(client.next()).isNull();
        }
    }

    @Test
    void aClientWithoutTheRightCertificateIsNotLetIn() throws Exception {
        pki.issue("client", "ca");
        pki.authority("other");
        pki.issue("stranger", "other");
        try (SluiceServer server = start(pki.file("ca.crt"))) {
            for (URI uri : new URI[] {data(server, "/healthz"), admin(server, "/metrics")}) {
                assertThat(get(client(HttpClient.Version.HTTP_2, "client"), uri).statusCode())
                        .isEqualTo(200);
                assertThatThrownBy(() -> get(client(HttpClient.Version.HTTP_2, null), uri))
                        .isInstanceOf(IOException.class);
                assertThatThrownBy(() -> get(client(HttpClient.Version.HTTP_2, "stranger"), uri))
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void newFilesAreUsedForNewConnections() throws Exception {
        try (SluiceServer server = start(null);
                SSLSocket before = connect(server.port())) {
            pki.issue("two", "ca");
            pki.replace("tls.key", "two.key"); // for a moment the key does not fit
            pki.replace("tls.crt", "two.crt");
            Certificate two = pki.certificate("two");
            for (int port : new int[] {server.port(), server.adminPort()}) {
                Eventually.holds("the new certificate is shown", PATIENCE, () -> two.equals(shown(port)));
            }
            assertThat(get(client(HttpClient.Version.HTTP_2, null), data(server, "/healthz"))
                            .version())
                    .isEqualTo(HttpClient.Version.HTTP_2);
            Service.write(before, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            assertThat(Service.rest(before)).contains("200 OK");
        }
    }

    @Test
    void wrongFilesChangeNothingAndAreShown() throws Exception {
        try (SluiceServer server = start(null)) {
            pki.issue("two", "ca");
            assertThat(metric(server, "sluice_tls_bad{port=\"data\"}")).isZero();
            pki.replace("tls.key", "two.key");
            Eventually.holds(
                    "a key that does not fit is noticed",
                    PATIENCE,
                    () -> metric(server, "sluice_tls_bad{port=\"data\"}") == 1);
            assertThat(metric(server, "sluice_watch_failures_total{watch=\"tls\"}"))
                    .isPositive();
            assertThat(shown(server.port())).isEqualTo(pki.certificate("one"));
            Files.delete(pki.file("tls.crt"));
            Eventually.holds(
                    "a file that is gone is counted",
                    PATIENCE,
                    () -> metric(server, "sluice_watch_failures_total{watch=\"tls\"}") > 4);
            assertThat(shown(server.port())).isEqualTo(pki.certificate("one"));
            pki.replace("tls.crt", "one.crt");
            pki.replace("tls.key", "one.key");
            Eventually.holds(
                    "the files that are in use are right again",
                    PATIENCE,
                    () -> metric(server, "sluice_tls_bad{port=\"data\"}") == 0);
            assertThat(metric(server, "sluice_tls_expires_seconds{port=\"admin\"}"))
                    .isGreaterThan(System.currentTimeMillis() / 1000.0 + 29 * 86_400 - 3_600);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pkcs8 -topk8 -nocrypt -in one.key -out tls.key",
                "ec -in one.key -out tls.key",
                "pkcs8 -topk8 -passout pass:secret -in one.key -out tls.key",
                "pkcs8 -topk8 -v2 aes-128-cbc -passout pass:secret -in one.key -out tls.key",
                "pkcs8 -topk8 -v2 aes256 -v2prf hmacWithSHA512 -passout pass:secret -in one.key -out tls.key",
            })
    void everyFormOfAKey(String make) throws Exception {
        pki.openssl(make);
        Files.writeString(pki.file("password"), "secret\n");
        try (SluiceServer server = start(null, pki.file("password"), Bounds.DEFAULTS)) {
            assertThat(shown(server.port())).isEqualTo(pki.certificate("one"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "rsa:2048,rsa -traditional -in tls.key -out tls.key2",
        "rsa:2048,pkcs8 -topk8 -nocrypt -in tls.key -out tls.key2",
        "ed25519,pkey -in tls.key -out tls.key2",
    })
    void everyKindOfAKey(String kind, String convert) throws Exception {
        pki.openssl("req -x509 -newkey " + kind + " -nodes -days 30 -subj /CN=self -addext"
                + " subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout tls.key -out tls.crt");
        pki.openssl(convert);
        pki.replace("tls.key", "tls.key2");
        pki.replace("ca.crt", "tls.crt");
        try (SluiceServer server = start(null)) {
            assertThat(shown(server.port())).isEqualTo(pki.certificate("tls"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--tls-cert tls.crt                    | TLS needs --tls-cert and --tls-key, and --tls-key is missing; see sluice serve --help",
                "--tls-client-ca ca.crt                | TLS needs --tls-cert and --tls-key, and both are missing; see sluice serve --help",
                "--tls-cert no.crt --tls-key tls.key   | --tls-cert no.crt: there is no such file",
                "--tls-cert tls.crt --tls-key no.key   | --tls-key no.key: there is no such file",
                "--tls-cert tls.crt --tls-key .        | --tls-key .: this is not a file",
                "--tls-cert tls.crt --tls-key /dev/zero | --tls-key /dev/zero: this is not a file",
                "--tls-cert tls.key --tls-key tls.key  | --tls-cert tls.key: there is no certificate in PEM in it, or a damaged one",
                "--tls-cert tls.crt --tls-key tls.crt  | --tls-key tls.crt: there is no private key in PEM in it (-----BEGIN PRIVATE KEY-----)",
                "--tls-cert tls.crt --tls-key ca.key   | --tls-key ca.key: the key does not fit the certificate",
                "--tls-cert tls.crt --tls-key rsa.key  | --tls-key rsa.key: the key does not fit the certificate, which needs one for EC, or is damaged",
                "--tls-cert tls.crt --tls-key locked.key | --tls-key-password-file: the key is encrypted, and no password for it is given (locked.key)",
                "--tls-cert tls.crt --tls-key locked.key --tls-key-password-file wrong | --tls-key-password-file wrong: the password does not open the key (locked.key)",
                "--tls-cert tls.crt --tls-key odd.key --tls-key-password-file wrong | --tls-key odd.key: the key is damaged, or encrypted in a form that is not known",
                "--tls-cert tls.crt --tls-key tls.key --tls-client-ca empty | --tls-client-ca empty: there is no certificate in PEM in it (-----BEGIN CERTIFICATE-----)",
                "--admin-tls-cert tls.crt --admin-tls-key no.key | --admin-tls-key no.key: there is no such file",
            })
    void wrongFilesAreOneLine(String options, String message) throws Exception {
        pki.openssl("genrsa -out rsa.key 2048");
        pki.openssl("pkcs8 -topk8 -passout pass:secret -in one.key -out locked.key");
        pki.openssl("pkcs8 -topk8 -v1 PBE-MD5-RC2-64 -provider legacy -provider default -passout pass:guess"
                + " -in one.key -out odd.key");
        Files.writeString(pki.file("wrong"), "guess\n");
        Files.writeString(pki.file("empty"), "");
        String args = "serve --port 0 --admin-port 0 "
                + options.replaceAll("(?<=-(?:cert|key|ca|file)) (?!/)", " " + folder + "/");
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args.split(" ", -1));
        assertThat(err.toString().replace(folder + "/", ""))
                .isEqualTo("sluice serve: " + message + System.lineSeparator());
        assertThat(code).isEqualTo(message.contains("--help") ? 2 : 1);
        assertThat(out.toString()).isEmpty();
    }

    /** Plain text, half a handshake and rubbish end, and the next client is served. */
    @Test
    void whoDoesNotSpeakItIsCutOff() throws Exception {
        try (SluiceServer server = start(null, null, Bounds.DEFAULTS.withRequestTimeout(Duration.ofSeconds(1)))) {
            for (String bytes : new String[] {
                "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
                "\u0016\u0003\u0001",
                "\u0016\u0003\u0001\u0000\u0010rubbish-and-more",
                ""
            }) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                    socket.setSoTimeout((int) PATIENCE.toMillis());
                    Service.write(socket, bytes);
                    assertThat(Service.rest(socket)).doesNotContain("HTTP/1.1");
                }
            }
            List<SSLSocket> slow = new ArrayList<>();
            for (int i = 0; i < 20; i++) { // some of them reach the server together with the end of the handshake
                SSLSocket socket = connect(server.port());
                socket.setSoTimeout((int) PATIENCE.toMillis());
                Service.write(socket, "GET /healthz HTTP/1.1\r\nHost:");
                slow.add(socket);
            }
            for (SSLSocket socket : slow) {
                assertThat(Service.rest(socket))
                        .as("a head that stays unfinished")
                        .startsWith("HTTP/1.1 408");
                socket.close();
            }
            assertThat(get(client(HttpClient.Version.HTTP_2, null), data(server, "/healthz"))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aPortWithoutItStaysAsItIs() throws Exception {
        TlsFiles files = new TlsFiles("--tls-", pki.file("tls.crt"), pki.file("tls.key"), null, null);
        ServerSettings settings = ServerSettings.of(InitialRules.example())
                .at(new Address(Address.LOOPBACK, 0, files), new Address(Address.LOOPBACK, 0));
        try (SluiceServer server = SluiceServer.start(settings)) {
            assertThat(get(client(HttpClient.Version.HTTP_2, null), data(server, "/healthz"))
                            .statusCode())
                    .isEqualTo(200);
            URI plain = URI.create("http://127.0.0.1:" + server.adminPort() + "/metrics");
            assertThat(get(HttpClient.newHttpClient(), plain).body()).contains("sluice_tls_bad{port=\"data\"} 0");
        }
    }

    @Test
    void aClientThatDoesNotTrustTheAuthorityRefuses() throws Exception {
        pki.authority("other");
        try (SluiceServer server = start(null)) {
            HttpClient wary = HttpClient.newBuilder()
                    .sslContext(pki.client("other", null))
                    .build();
            assertThatThrownBy(() -> get(wary, data(server, "/healthz"))).isInstanceOf(SSLHandshakeException.class);
        }
    }

    private SluiceServer start(@Nullable Path clientAuthorities) {
        TlsFiles files = new TlsFiles("--tls-", pki.file("tls.crt"), pki.file("tls.key"), null, clientAuthorities);
        return start(files, Bounds.DEFAULTS);
    }

    private SluiceServer start(@Nullable Path clientAuthorities, @Nullable Path password, Bounds bounds) {
        TlsFiles files = new TlsFiles("--tls-", pki.file("tls.crt"), pki.file("tls.key"), password, clientAuthorities);
        return start(files, bounds);
    }

    private static SluiceServer start(TlsFiles files, Bounds bounds) {
        Address address = new Address(Address.LOOPBACK, 0, files);
        return SluiceServer.start(ServerSettings.of(InitialRules.builtIn("rules.yaml", RuleFile.exampleText()))
                .at(address, address)
                .bounds(bounds));
    }

    private HttpClient client(HttpClient.Version version, @Nullable String own) throws Exception {
        return HttpClient.newBuilder()
                .version(version)
                .sslContext(pki.client("ca", own))
                .build();
    }

    private static HttpResponse<String> get(HttpClient client, URI uri) throws Exception {
        return client.send(
                HttpRequest.newBuilder(uri).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString(UTF_8));
    }

    private static URI data(SluiceServer server, String path) {
        return URI.create("https://localhost:" + server.port() + path);
    }

    private static URI admin(SluiceServer server, String path) {
        return URI.create("https://localhost:" + server.adminPort() + path);
    }

    private SSLSocket connect(int port) throws Exception {
        SSLContext context = pki.client("ca", null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
        socket.startHandshake();
        return socket;
    }

    /** The certificate that a new connection gets to see. */
    private Certificate shown(int port) {
        try (SSLSocket socket = connect(port)) {
            return socket.getSession().getPeerCertificates()[0];
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private double metric(SluiceServer server, String name) {
        try {
            String all = get(client(HttpClient.Version.HTTP_1_1, null), admin(server, "/metrics"))
                    .body();
            return all.lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(name + " is not in " + all));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
