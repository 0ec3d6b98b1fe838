package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.admin.AdminTokens;
import dev.sluice.server.admin.AuditLog;
import dev.sluice.server.envoy.EnvoyFolder;
import dev.sluice.server.record.RecorderSettings;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recording over real sockets: every way to ask is recorded, and the admin port streams it. */
class RecordingApiTest {
    private static final String RULES = """
            rules:
              - name: everything
                key: [ip]
                limits: [1000000 per 1h]
            """;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String PATH = "/v1/recording";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Service service = recording(RecorderSettings.of(8 << 20));

    private static Service recording(RecorderSettings settings) {
        return new Service(Service.settings(RULES).recorder(settings));
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private void restart(ServerSettings settings) {
        service.close();
        service = new Service(settings);
    }

    private <T> HttpResponse<T> admin(String path, HttpResponse.BodyHandler<T> body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + service.server().adminPort() + path));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return client.sendAsync(request.build(), body).join();
    }

    private List<JsonObject> recorded() {
        HttpResponse<String> response = admin(PATH, BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body()
                .lines()
                .map(line -> new JsonObject(line).getJsonObject("attributes"))
                .toList();
    }

    private void fill(int requests) {
        String check = "{'attributes': {'ip': '10.0.0.1', 'path': '/" + "x".repeat(900) + "'}}";
        String list = "[" + (check + ",").repeat(499) + check + "]";
        for (int i = 0; i < requests; i += 500) {
            assertThat(service.post(list).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void everyWayToAskIsRecorded() {
        service.get("/v1/check?ip=10.0.0.1&path=/get");
        service.post("{'attributes': {'ip': '10.0.0.2', 'path': '/post'}, 'cost': 2}");
        service.post("[{'attributes': {'ip': '10.0.0.3'}}, {'attributes': {'ip': '10.0.0.4'}}]");
        service.get(
                "/nginx", "X-Original-URI", "/nginx?secret=1", "X-Real-IP", "10.0.0.5", "X-Original-Method", "POST");
        service.send(HttpRequest.newBuilder(service.uri("/json"))
                .POST(BodyPublishers.ofString(Service.json("{'domain': 'shop', 'descriptors': [{'entries':"
                        + " [{'key': 'remote_address', 'value': '10.0.0.6'}]}], 'hitsAddend': 3}"))));
        service.get("/v1/check?ip=10.0.0.7&cost=0");
        service.get("/v1/check?ip=10.0.0.8&cost=x");
        List<JsonObject> recorded = recorded();
        assertThat(recorded.stream().map(each -> each.getString("ip")))
                .containsExactly("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6");
        assertThat(recorded.get(4).encode())
                .isEqualTo(Service.json("{'ip':'10.0.0.5','method':'POST','path':'/nginx'}"));
        assertThat(recorded.get(5).encode()).isEqualTo(Service.json("{'ip':'10.0.0.6','domain':'shop'}"));
        String text = admin(PATH, BodyHandlers.ofString()).body();
        assertThat(text).contains("\"cost\":2", "\"cost\":3").doesNotContain("secret");
        assertThat(admin(PATH + "?last=1ms", BodyHandlers.ofString())
                        .body()
                        .lines()
                        .count())
                .isLessThanOrEqualTo(6);
    }

    @Test
    void whatFilesForEnvoyDecideIsRecordedToo(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("shop.yaml"), """
                domain: shop
                descriptors: [{ key: user, rate_limit: { unit: day, requests_per_unit: 5 } }]
                """);
        restart(Service.settings(RULES).recorder(RecorderSettings.of(8 << 20)).envoy(EnvoyFolder.open(folder)));
        String entries = "{'key': 'k', 'value': 'v'},".repeat(63);
        for (String entry : List.of("{'key': 'user', 'value': 'ada'}", entries + "{'key': 'user', 'value': 'bob'}")) {
            HttpResponse<String> response = service.send(HttpRequest.newBuilder(service.uri("/json"))
                    .POST(BodyPublishers.ofString(
                            Service.json("{'domain': 'shop', 'descriptors': [{'entries': [" + entry + "]}]}"))));
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        }
        assertThat(recorded().stream().map(JsonObject::encode))
                .as("one with too many attributes for rules is decided, and not recorded")
                .containsExactly(Service.json("{'user':'ada','domain':'shop'}"));
    }

    @Test
    void theHeadSaysWhatIsRecorded() throws IOException {
        restart(Service.settings(RULES)
                .recorder(RecorderSettings.of(8 << 20)
                        .share(500_000)
                        .attributes(List.of("ip", "tenant"))
                        .hashed(List.of("ip"))));
        HttpResponse<byte[]> zipped = admin(PATH, BodyHandlers.ofByteArray(), "Accept-Encoding", "br, gzip;q=0.8");
        assertThat(zipped.headers().firstValue("Sluice-Recorded-Attributes")).hasValue("ip,tenant");
        assertThat(zipped.headers().firstValue("Sluice-Recorded-Share")).hasValue("50%");
        assertThat(zipped.headers().firstValue("Sluice-Recorded-Hashed")).hasValue("ip");
        assertThat(zipped.headers().firstValue("Content-Encoding")).hasValue("gzip");
        assertThat(zipped.headers().firstValue("Content-Type")).hasValue("application/jsonl");
        assertThat(new GZIPInputStream(new ByteArrayInputStream(zipped.body())).readAllBytes())
                .isEmpty();
        HttpResponse<String> head = client.sendAsync(
                        HttpRequest.newBuilder(URI.create(
                                        "http://127.0.0.1:" + service.server().adminPort() + PATH))
                                .method("HEAD", BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.ofString())
                .join();
        assertThat(head.headers().firstValue("Sluice-Recorded-Share")).hasValue("50%");
        assertThat(admin(PATH, BodyHandlers.ofString(), "Accept-Encoding", "gzip;q=0")
                        .headers()
                        .firstValue("Content-Encoding"))
                .isEmpty();
    }

    @Test
    void whatIsLargeIsTheSameCompressed() throws IOException {
        fill(6_000);
        byte[] plain = admin(PATH, BodyHandlers.ofByteArray()).body();
        byte[] zipped = admin(PATH, BodyHandlers.ofByteArray(), "Accept-Encoding", "gzip")
                .body();
        byte[] unzipped = new GZIPInputStream(new ByteArrayInputStream(zipped)).readAllBytes();
        assertThat(zipped.length).isLessThan(plain.length / 3);
        assertThat(timeless(unzipped)).isEqualTo(timeless(plain));
        assertThat(timeless(plain).lines()).hasSize(6_000);
    }

    /** The wall clock is read with each request for the recording, and may differ by a microsecond. */
    private static String timeless(byte[] text) {
        return new String(text, UTF_8).replaceAll("\"time\":\\d+", "");
    }

    @Test
    void mistakesAreExplained() {
        assertThat(problem(PATH + "?last=soon")).contains("last must be a duration such as 500ms", "was 'soon'");
        assertThat(problem(PATH + "/x")).contains("there is /v1/recording");
        HttpResponse<String> put = client.sendAsync(
                        HttpRequest.newBuilder(URI.create(
                                        "http://127.0.0.1:" + service.server().adminPort() + PATH))
                                .PUT(BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.ofString())
                .join();
        assertThat(put.statusCode()).isEqualTo(405);
        restart(Service.settings(RULES));
        HttpResponse<String> off = admin(PATH, BodyHandlers.ofString());
        assertThat(off.statusCode()).isEqualTo(404);
        assertThat(off.body()).contains("urn:sluice:not-recording", "start it with --record 64MB");
        restart(Service.settings(RULES)
                .recorder(RecorderSettings.of(8 << 20))
                .guarded(AdminTokens.parse("0123456789abcdef"), AuditLog.to(new ByteArrayOutputStream())));
        assertThat(admin(PATH, BodyHandlers.ofString()).statusCode()).isEqualTo(401);
        assertThat(admin(PATH, BodyHandlers.ofString(), "Authorization", "Bearer 0123456789abcdef")
                        .statusCode())
                .isEqualTo(200);
    }

    private String problem(String path) {
        HttpResponse<String> response = admin(path, BodyHandlers.ofString());
        assertThat(response.statusCode()).isIn(400, 404);
        return Service.detail(response);
    }

    @Test
    void metricsSayHowMuchIsRecorded() {
        service.get("/v1/check?ip=10.0.0.1");
        String metrics = admin("/metrics", BodyHandlers.ofString()).body();
        assertThat(metrics)
                .contains(
                        "sluice_recorder_records_total 1.0",
                        "sluice_recorder_dropped_total 0.0",
                        "sluice_recorder_max_bytes 8388608.0",
                        "sluice_recorder_bytes 65536.0",
                        "sluice_recorder_seconds");
        restart(Service.settings(RULES));
        assertThat(admin("/metrics", BodyHandlers.ofString()).body()).doesNotContain("sluice_recorder");
    }

    /** Clients that stop reading keep nobody else from asking, and their places become free when they go. */
    @Test
    void clientsThatStopReadingDoNoHarm() throws Exception {
        fill(7_000);
        List<Socket> stuck = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            stuck.add(stuckReader());
        }
        HttpResponse<String> fifth = admin(PATH, BodyHandlers.ofString());
        assertThat(fifth.statusCode()).isEqualTo(503);
        assertThat(fifth.body()).contains("too-many-readers");
        assertThat(service.get("/v1/check?ip=10.0.0.2").statusCode()).isEqualTo(200);
        for (Socket socket : stuck) {
            socket.close();
        }
        Eventually.holds(
                "a place is free",
                PATIENCE,
                () -> admin(PATH, BodyHandlers.discarding()).statusCode() == 200);
    }

    /** One that takes nothing for half a minute is cut off, although its connection stays open. */
    @Test
    @Tag("full")
    void clientsThatStopReadingAreCutOff() throws Exception {
        fill(7_000);
        List<Socket> stuck = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            stuck.add(stuckReader());
        }
        Eventually.holds(
                "a place is free",
                Duration.ofSeconds(30).plus(PATIENCE),
                () -> admin(PATH, BodyHandlers.discarding()).statusCode() == 200);
        for (Socket socket : stuck) {
            socket.close();
        }
    }

    private Socket stuckReader() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), service.server().adminPort()));
        Service.write(socket, "GET " + PATH + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        socket.setSoTimeout(20_000);
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        return socket;
    }

    @Test
    void severalReadAtOnceWhileRequestsCome() {
        fill(3_000);
        List<CompletableFuture<HttpResponse<String>>> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(client.sendAsync(
                    HttpRequest.newBuilder(URI.create(
                                    "http://127.0.0.1:" + service.server().adminPort() + PATH))
                            .build(),
                    BodyHandlers.ofString()));
            fill(500);
        }
        for (CompletableFuture<HttpResponse<String>> reader : readers) {
            String text = reader.join().body();
            assertThat(text).endsWith("}}\n");
            assertThat(text.lines().count()).isBetween(3_000L, 4_500L);
        }
    }

    @Test
    void aChangeOfTheRulesChangesNothingInTheRecording() {
        service.get("/v1/check?ip=10.0.0.1");
        client.sendAsync(
                        HttpRequest.newBuilder(URI.create(
                                        "http://127.0.0.1:" + service.server().adminPort() + "/v1/rules"))
                                .PUT(BodyPublishers.ofString(RULES.replace("everything", "other")))
                                .build(),
                        BodyHandlers.ofString())
                .join();
        service.get("/v1/check?ip=10.0.0.2");
        assertThat(recorded()).hasSize(2);
    }

    /** A server that ends in the middle of it: the client sees that it is not whole, and the server ends. */
    @Test
    void aServerThatEndsWhileItStreams() throws Exception {
        restart(Service.settings(RULES).recorder(RecorderSettings.of(8 << 20)).grace(Duration.ZERO));
        fill(7_000);
        try (Socket stuck = stuckReader()) {
            service.close();
            InputStream in = stuck.getInputStream();
            ByteArrayOutputStream rest = new ByteArrayOutputStream();
            try {
                in.transferTo(rest);
            } catch (IOException reset) {
                // as good as closed
            }
            assertThat(rest.toString(UTF_8)).doesNotEndWith("0\r\n\r\n");
        } finally {
            service = recording(RecorderSettings.of(8 << 20));
        }
    }
}
