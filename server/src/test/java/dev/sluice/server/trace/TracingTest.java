package dev.sluice.server.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.redis.servers.Eventually;
import dev.sluice.server.ServerSettings;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.ruleset.InitialRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Spans as a collector receives them over OTLP. */
@Tag("full")
class TracingTest {
    private static final String RULES = """
            rules:
              - name: few
                when: { path: /few }
                limits: [1 per 1h]
            """;
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "b7ad6b7169203331";

    /** A span, with the name of the service that sent it. */
    private record Received(
            String service, String trace, String parent, String name, long nanos, Map<String, String> attributes) {}

    private final List<Received> spans = new CopyOnWriteArrayList<>();
    private final HttpServer collector;

    TracingTest() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
            byte[] body = (zipped ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody())
                    .readAllBytes();
            read(UnknownFieldSet.parseFrom(body));
            exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    @Test
    void aSpanForEachCheckWithinTheTraceOfTheRequest() throws Exception {
        ServerSettings settings = ServerSettings.of(InitialRules.builtIn("rules.yaml", RULES))
                .tracer(Tracing.of(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        "http://127.0.0.1:" + collector.getAddress().getPort(),
                        "OTEL_SERVICE_NAME",
                        "shop-limits",
                        "OTEL_BSP_SCHEDULE_DELAY",
                        "50")));
        try (SluiceServer server = SluiceServer.start(settings)) {
            get(server, "/v1/check?path=/few", "traceparent", "00-" + TRACE + "-" + PARENT + "-01");
            get(server, "/v1/check?path=/few");
            get(server, "/v1/check?path=/free");
            get(server, "/nginx", "X-Original-URI", "/few");
            post(server, "/v1/check", "[{\"attributes\": {\"path\": \"/few\"}}, {\"attributes\": {}}]");
            post(
                    server,
                    "/json",
                    "{\"domain\": \"d\", \"descriptors\": [{\"entries\": [{\"key\": \"path\", \"value\": \"/few\"}]}]}",
                    "traceparent",
                    "00-" + TRACE + "-" + PARENT + "-01");
            get(server, "/v1/check?path=/few", "traceparent", "00-" + TRACE + "-" + PARENT + "-00");
            Eventually.holds("they arrive", Duration.ofSeconds(20), () -> spans.size() >= 7, spans::toString);
        }
        assertThat(spans).as("one that is not sampled is not sent").hasSize(7).allSatisfy(span -> {
            assertThat(span.service).isEqualTo("shop-limits");
            assertThat(span.nanos).isBetween(0L, Duration.ofSeconds(10).toNanos());
        });
        Received first = spans.get(0);
        assertThat(first.trace).isEqualTo(TRACE);
        assertThat(first.parent).isEqualTo(PARENT);
        assertThat(first.name).isEqualTo("check");
        assertThat(first.attributes)
                .containsEntry("sluice.rule", "few")
                .containsEntry("sluice.outcome", "allowed")
                .containsEntry("sluice.source", "local")
                .containsEntry("url.path", "/v1/check")
                .containsEntry("http.request.method", "GET");
        assertThat(spans.get(1).trace).isNotEqualTo(TRACE);
        assertThat(spans.get(1).parent).isEmpty();
        assertThat(spans.stream().map(span -> span.attributes.get("sluice.outcome")))
                .containsExactly("allowed", "denied", "unmatched", "denied", "denied", "unmatched", "denied");
        Received rls = spans.get(6);
        assertThat(rls.name).isEqualTo("ShouldRateLimit");
        assertThat(rls.trace).isEqualTo(TRACE);
        assertThat(rls.attributes).containsEntry("sluice.rule", "few").containsEntry("sluice.source", "local");
    }

    /** A collector that is not there costs nothing but the spans. */
    @Test
    void aCollectorThatIsGoneChangesNoAnswer() throws Exception {
        int port = collector.getAddress().getPort();
        collector.stop(0);
        ServerSettings settings = ServerSettings.of(InitialRules.builtIn("rules.yaml", RULES))
                .tracer(Tracing.of(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + port, "OTEL_BSP_SCHEDULE_DELAY", "10")));
        try (SluiceServer server = SluiceServer.start(settings)) {
            assertThat(get(server, "/v1/check?path=/few")).isEqualTo(200);
            assertThat(get(server, "/v1/check?path=/few", "traceparent", "nonsense"))
                    .isEqualTo(429);
        }
    }

    /** A collector that accepts connections and says nothing: more spans than its queue holds, and a server that stops. */
    @Test
    void aCollectorThatHangsChangesNoAnswer() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            ServerSettings settings = ServerSettings.of(InitialRules.builtIn("rules.yaml", RULES))
                    .tracer(Tracing.of(Map.of(
                            "OTEL_EXPORTER_OTLP_ENDPOINT",
                            "http://127.0.0.1:" + silent.getLocalPort(),
                            "OTEL_BSP_SCHEDULE_DELAY",
                            "10",
                            "OTEL_BSP_MAX_QUEUE_SIZE",
                            "16",
                            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
                            "8")));
            SluiceServer server = SluiceServer.start(settings);
            String list = "[" + "{\"attributes\": {\"path\": \"/few\"}},".repeat(99) + "{\"attributes\": {}}]";
            for (int i = 0; i < 10; i++) {
                assertThat(post(server, "/v1/check", list)).isEqualTo(200);
            }
            long began = System.nanoTime();
            server.close();
            assertThat(System.nanoTime() - began)
                    .as("it waits for the collector for at most five seconds")
                    .isLessThan(Duration.ofSeconds(20).toNanos());
        }
    }

    /** As OpenTelemetry has it: the attributes of the resource name the service, unless there is a variable for that. */
    @Test
    void theNameOfTheService() throws Exception {
        String endpoint = "http://127.0.0.1:" + collector.getAddress().getPort();
        Map<Map<String, String>, String> names = Map.of(
                Map.of(),
                "sluice",
                Map.of("OTEL_RESOURCE_ATTRIBUTES", "team=a,service.name=limits"),
                "limits",
                Map.of("OTEL_RESOURCE_ATTRIBUTES", "service.name=limits", "OTEL_SERVICE_NAME", "shop"),
                "shop");
        for (Map.Entry<Map<String, String>, String> each : names.entrySet()) {
            spans.clear();
            Map<String, String> environment = new TreeMap<>(each.getKey());
            environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
            ServerSettings settings =
                    ServerSettings.of(InitialRules.builtIn("rules.yaml", RULES)).tracer(Tracing.of(environment));
            try (SluiceServer server = SluiceServer.start(settings)) {
                get(server, "/v1/check?path=/few");
            }
            assertThat(spans).as(each.getKey().toString()).hasSize(1);
            assertThat(spans.get(0).service).isEqualTo(each.getValue());
        }
    }

    @Test
    void onlyWhereItIsAskedFor() {
        assertThat(Tracing.of(Map.of())).isNull();
        assertThat(Tracing.of(Map.of("OTEL_SERVICE_NAME", "a"))).isNull();
        assertThat(Tracing.of(Map.of("OTEL_TRACES_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://a")))
                .isNull();
        assertThat(Tracing.of(Map.of("OTEL_SDK_DISABLED", "true", "OTEL_TRACES_EXPORTER", "otlp")))
                .isNull();
    }

    @Test
    void whatIsNotHereIsRefused() {
        assertThatThrownBy(() -> Tracing.of(Map.of("OTEL_TRACES_EXPORTER", "zipkin")))
                .hasMessage("OTEL_TRACES_EXPORTER must be otlp or none, was 'zipkin'");
        assertThatThrownBy(
                        () -> Tracing.of(Map.of("OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")))
                .hasMessage("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, was 'grpc'");
        assertThatThrownBy(() -> Tracing.of(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "not a URL")))
                .hasMessageStartingWith("traces cannot be sent with these OTEL_… variables");
    }

    private static int get(SluiceServer server, String path, String... headers) throws Exception {
        return send(HttpRequest.newBuilder(uri(server, path)), headers);
    }

    private static int post(SluiceServer server, String path, String body, String... headers) throws Exception {
        return send(HttpRequest.newBuilder(uri(server, path)).POST(BodyPublishers.ofString(body)), headers);
    }

    private static int send(HttpRequest.Builder request, String... headers) throws Exception {
        HttpRequest.Builder whole = headers.length == 0 ? request : request.headers(headers);
        return HttpClient.newHttpClient()
                .send(whole.version(HttpClient.Version.HTTP_1_1).build(), BodyHandlers.ofString())
                .statusCode();
    }

    private static URI uri(SluiceServer server, String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    /** The fields of ExportTraceServiceRequest, by their numbers in opentelemetry-proto. */
    private void read(UnknownFieldSet request) throws IOException {
        for (UnknownFieldSet resourceSpans : messages(request, 1)) {
            String service = attributes(messages(resourceSpans, 1).get(0), 1).getOrDefault("service.name", "");
            for (UnknownFieldSet scopeSpans : messages(resourceSpans, 2)) {
                for (UnknownFieldSet span : messages(scopeSpans, 2)) {
                    spans.add(new Received(
                            service,
                            hex(span, 1),
                            hex(span, 4),
                            text(span, 5),
                            span.getField(8).getFixed64List().get(0)
                                    - span.getField(7).getFixed64List().get(0),
                            attributes(span, 9)));
                }
            }
        }
    }

    private static Map<String, String> attributes(UnknownFieldSet message, int field) throws IOException {
        Map<String, String> attributes = new TreeMap<>();
        for (UnknownFieldSet pair : messages(message, field)) {
            attributes.put(text(pair, 1), text(messages(pair, 2).get(0), 1));
        }
        return attributes;
    }

    private static List<UnknownFieldSet> messages(UnknownFieldSet message, int field) throws IOException {
        List<UnknownFieldSet> messages = new java.util.ArrayList<>();
        for (ByteString bytes : message.getField(field).getLengthDelimitedList()) {
            messages.add(UnknownFieldSet.parseFrom(bytes));
        }
        return messages;
    }

    private static String text(UnknownFieldSet message, int field) {
        return first(message, field).toStringUtf8();
    }

    private static String hex(UnknownFieldSet message, int field) {
        return HexFormat.of().formatHex(first(message, field).toByteArray());
    }

    private static ByteString first(UnknownFieldSet message, int field) {
        List<ByteString> all = message.getField(field).getLengthDelimitedList();
        return all.isEmpty() ? ByteString.EMPTY : all.get(0);
    }
}
