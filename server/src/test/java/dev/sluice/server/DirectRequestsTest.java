package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ManualClock;
import dev.sluice.rules.Verdict;
import dev.sluice.server.RawClient.Response;
import dev.sluice.server.check.HeaderFields;
import dev.sluice.server.envoy.RateLimitOutcome;
import dev.sluice.server.trace.CheckTracer;
import dev.sluice.server.web.Exchange;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A plain GET of a check, which does not pass through Vert.x, has the response that Vert.x would have sent, in its turn. */
@Timeout(60)
class DirectRequestsTest {
    private static final String RULES = """
            rules:
              - { name: few, when: { path: /few }, key: [user], limits: [2 per 1h, 100 per 1d] }
              - { name: watched, when: { path: /few }, limits: [1 per 1h], on-exceed: shadow }
              - { name: soft, when: { path: /soft }, limits: [1 per 1h], on-exceed: degrade }
              - { name: seats, when: { path: /seats }, limits: [2 at once], lease: 1h }
              - { name: queue, when: { path: /queue }, limits: [100 per 1s leaky-bucket capacity=3 queue] }
              - { name: counted, when: { path: /counted }, key: [user], limits: [1000000 per 1d] }
              - { name: paced, when: { path: /paced }, limits: [500 per 1s token-bucket burst=1], on-exceed: wait up to 30s }
              - { name: slow, when: { path: /slow }, limits: [5 per 1s token-bucket burst=1], on-exceed: wait up to 30s }
            """;

    /** Each is asked so often that its limit is reached. */
    private static final List<String> REQUESTS = List.of(
            "GET /v1/check?path=/few&user=a",
            "GET /v1/check?path=/few&user=a&cost=3",
            "GET /v1/check?path=/soft",
            "GET /v1/check?path=/seats",
            "GET /v1/check?path=/seats&cost=0",
            "GET /v1/check?path=/queue",
            "GET /v1/check?path=/queue&cost=9",
            "GET /v1/check?path=/none",
            "GET /v1/check?user=%22%5C%F0%9F%8E%88%0A&path=%2ffew",
            "GET /v1/check",
            "GET /v1/check?",
            "GET /v1/check?cost=1&cost=1",
            "GET /v1/check?cost=%22%5C%C3%BC%F0%9F%8E%88%00",
            "GET /v1/check?cost=" + "9".repeat(3000),
            "GET /v1/check?a=%",
            "GET /v1/check?a=%ff",
            "GET /v1/check?a=\u00fc\"\\",
            "GET /v1/check?a=1#fragment",
            "GET /v1/check/",
            "GET /v1/check%3f",
            "GET http://x/v1/check?path=/few",
            "GET //v1/check",
            "GET *",
            "GET /nginx",
            "GET /nginx?a=\"b\\",
            "GET /nginx|X-Original-URI: /few?x=y|Sluice-Attribute-User: b",
            "GET /nginx|X-Original-URI: /none",
            "GET /nginx|X-Original-URI: /soft",
            "GET /nginx|X-Original-URI: /queue",
            "GET /nginx|X-Original-URI: /seats",
            "GET /nginx|X-Original-URI: /few|Sluice-Attribute-User: \u00c3\u00bc|Sluice-Cost: 1",
            "GET /nginx|X-Original-URI: /few|Sluice-Cost: \"\\\u00fc",
            "GET /nginx|X-Original-URI: /few|x-original-uri: /none");

    /** The same request in forms that only Vert.x takes. */
    enum Form {
        WITH_A_LENGTH("%s HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n%s\r\n"),
        WITH_CHUNKS("%s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n%s\r\n0\r\n\r\n"),
        WITH_AN_EXPECTATION("%s HTTP/1.1\r\nHost: x\r\nExpect: nothing\r\n%s\r\n"),
        WITH_AN_UPGRADE("%s HTTP/1.1\r\nHost: x\r\nUpgrade: h2\r\n%s\r\n"),
        OLD("%s HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n%s\r\n"),
        LAST("%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n");

        private final String text;

        Form(String text) {
            this.text = text;
        }
    }

    private static final String PLAIN = "%s HTTP/1.1\r\nHost: x\r\n%s\r\n";

    private static String text(String form, String request) {
        String[] parts = request.split("\\|", -1);
        StringBuilder fields = new StringBuilder();
        Stream.of(parts).skip(1).forEach(each -> fields.append(each).append("\r\n"));
        return form.formatted(parts[0], fields);
    }

    /** What must be equal: all but the tokens of holds, the order of fields, and what is said of the connection. */
    private static List<String> comparable(Response response) {
        List<String> all = new ArrayList<>();
        all.add(response.statusLine().replace("HTTP/1.0", "HTTP/1.1"));
        response.fields().stream()
                .filter(each -> !each.startsWith("connection: "))
                .sorted()
                .forEach(all::add);
        all.add(response.body().replaceAll("\"hold\":\"[^\"]*\"", "\"hold\":\"…\""));
        return all;
    }

    private static Response ask(Service service, String request) throws IOException {
        try (RawClient client = RawClient.of(service)) {
            client.send(request);
            return Objects.requireNonNull(client.next());
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void theResponseIsThatOfVertx(Form form) throws IOException {
        for (HeaderFields fields : HeaderFields.values()) {
            ServerSettings settings = Service.settings(RULES).fields(fields);
            try (Service direct = new Service(settings, new ManualClock());
                    Service vertx = new Service(settings, new ManualClock())) {
                for (String request : REQUESTS) {
                    for (int i = 0; i < 3; i++) {
                        assertThat(comparable(ask(direct, text(PLAIN, request))))
                                .as(request)
                                .isEqualTo(comparable(ask(vertx, text(form.text, request))));
                    }
                }
                assertThat(counted(direct)).isEqualTo(counted(vertx));
            }
        }
    }

    /** Responses by status, and bytes. */
    private static List<String> counted(Service service) {
        return service.metrics()
                .lines()
                .filter(line -> line.startsWith("sluice_http_responses_total{port=\"data\"")
                        || line.startsWith("sluice_http_sent_bytes_total{port=\"data\"")
                        || line.startsWith("sluice_http_received_bytes_total{port=\"data\"")
                        || line.startsWith("sluice_http_resets_total{port=\"data\"")
                        || line.startsWith("sluice_http_connections_opened_total{port=\"data\"")
                        || line.startsWith("sluice_decisions_total")
                        || line.startsWith("sluice_check_seconds_count"))
                .sorted()
                .toList();
    }

    // ---- Order

    /** A request, the status of its response, and what only that response has in it. */
    private record Asked(String text, int status, String mark, boolean isHead) {}

    private static Asked asked(Random random, String user, int before) {
        String check = "/v1/check?path=/counted&user=" + user;
        String mark = "\"remaining\":" + (1_000_000 - before - 1) + ",";
        String body = Service.json("{'attributes': {'path': '/counted', 'user': '" + user + "'}}");
        return switch (random.nextInt(14)) {
            case 0, 1, 2, 3 -> new Asked("GET " + check + " HTTP/1.1\r\nHost: x\r\n\r\n", 200, mark, false);
            case 4 -> new Asked("GET " + check + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 200, mark, false);
            case 5 ->
                new Asked(
                        "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body,
                        200,
                        mark,
                        false);
            case 6 ->
                new Asked(
                        "POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + "5\r\n" + body.substring(0, 5) + "\r\n" + Integer.toHexString(body.length() - 5)
                                + "\r\n"
                                + body.substring(5) + "\r\n0\r\n\r\n",
                        200,
                        mark,
                        false);
            case 7 -> new Asked("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200, "ok\n", false);
            case 8 -> new Asked("GET /no/" + before + " HTTP/1.1\r\nHost: x\r\n\r\n", 404, "/no/" + before, false);
            case 9 -> new Asked("HEAD /nginx HTTP/1.1\r\nHost: x\r\nX-Original-URI: /none\r\n\r\n", 204, "", true);
            case 10 ->
                new Asked("GET /v1/check?cost=x" + before + " HTTP/1.1\r\n\r\n", 400, "'x" + before + "'", false);
            case 11 -> new Asked("GET /v1/check?path=/paced HTTP/1.1\r\nHost: x\r\n\r\n", 200, "paced", false);
            case 12 -> new Asked("\r\nGET /nginx HTTP/1.1\r\nX-Original-URI: /none\r\n\r\n", 204, "", false);
            default -> new Asked("GET " + check + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, mark, false);
        };
    }

    /** A request after which the server closes the connection. */
    private static Asked last(Random random, String user, int before) {
        String check = "/v1/check?path=/counted&user=" + user;
        String mark = "\"remaining\":" + (1_000_000 - before - 1) + ",";
        return switch (random.nextInt(6)) {
            case 4 -> new Asked("GET " + check + " HTTP/1.2\r\n\r\n", 200, mark, false);
            case 5 -> new Asked("GET " + check + " HTTP/1.0\r\nConnection: x, keep-alive\r\n\r\n", 200, mark, false);
            case 0 -> new Asked("GET " + check + " HTTP/1.1\r\nConnection: close\r\n\r\n", 200, mark, false);
            case 1 -> new Asked("GET " + check + " HTTP/1.0\r\n\r\n", 200, mark, false);
            case 2 -> new Asked("nonsense\r\n\r\n", 400, "not a request", false);
            default -> new Asked("GET " + check + " HTTP/1.1\r\nbad field : x\r\n\r\n", 400, "not a request", false);
        };
    }

    private static boolean isCounted(Asked asked) {
        return asked.mark.startsWith("\"remaining\"");
    }

    /** All of it in pieces of any size: the responses come in order, and each request is charged once. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anyPipelineInAnyPieces(long seed) throws Exception {
        Random random = new Random(seed);
        try (Service service = Service.with(RULES)) {
            for (int connection = 0; connection < 30; connection++) {
                String user = "u" + connection;
                List<Asked> all = new ArrayList<>();
                int counted = 0;
                int length = random.nextInt(40);
                for (int i = 0; i < length; i++) {
                    Asked next = asked(random, user, counted);
                    counted += isCounted(next) ? 1 : 0;
                    all.add(next);
                }
                Asked last = last(random, user, counted);
                counted += isCounted(last) ? 1 : 0;
                all.add(last);
                converse(service, random, user, all);
                String left = "\"remaining\":" + (1_000_000 - counted) + ",";
                assertThat(service.get("/v1/check?cost=0&path=/counted&user=" + user)
                                .body())
                        .contains(left);
            }
        }
    }

    private static void converse(Service service, Random random, String user, List<Asked> all) throws Exception {
        StringBuilder text = new StringBuilder();
        all.forEach(each -> text.append(each.text));
        String unanswered = "GET /v1/check?path=/counted&user=" + user + " HTTP/1.1\r\n\r\n";
        text.append(unanswered.repeat(random.nextInt(3)));
        int piece = 1 + random.nextInt(random.nextBoolean() ? 20 : 3000);
        try (RawClient client = RawClient.of(service)) {
            client.socket().setTcpNoDelay(true);
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < text.length(); i += piece) {
                        client.send(text.substring(i, Math.min(text.length(), i + piece)));
                        if (random.nextInt(8) == 0) {
                            LockSupport.parkNanos(1000);
                        }
                    }
                } catch (IOException closed) {
                    // after the last response
                }
            });
            sender.start();
            for (Asked each : all) {
                Response response = each.isHead ? client.nextHead() : client.next();
                assertThat(response).as(each.text).isNotNull();
                assertThat(Objects.requireNonNull(response).status())
                        .as(each.text)
                        .isEqualTo(each.status);
                assertThat(response.body()).as(each.text).contains(each.mark);
            }
            assertThat(client.next()).isNull();
            sender.join();
        }
    }

    // ---- Errors

    /** Fails on every decision. */
    private static final class Failing implements CheckTracer {
        @Override
        public void decided(Exchange exchange, long beganNanos, Verdict verdict) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void decided(Exchange exchange, long beganNanos, List<Verdict> verdicts) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void decided(HttpServerRequest call, long beganNanos, RateLimitOutcome outcome) {}

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"/few", "/slow"})
    void aHandlerThatFailsIsA500(String path) throws IOException {
        try (Service service = new Service(Service.settings(RULES).tracer(new Failing()));
                RawClient client = RawClient.of(service)) {
            String requests = "GET /v1/check?path=" + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
            client.send(requests + requests + "GET /healthz HTTP/1.1\r\n\r\n");
            for (int i = 0; i < 2; i++) {
                Response failed = Objects.requireNonNull(client.next());
                assertThat(failed.status()).isEqualTo(500);
                assertThat(failed.body()).contains("the log of the server says why");
            }
            assertThat(Objects.requireNonNull(client.next()).body()).isEqualTo("ok\n");
        }
    }

    @Test
    void aClientThatEndsItsSideGetsItsResponse() throws Exception {
        try (Service service = Service.with(RULES)) {
            for (int i = 0; i < 50; i++) {
                try (RawClient client = RawClient.of(service)) {
                    client.send("GET /v1/check?path=/none HTTP/1.1\r\nHost: x\r\n\r\n");
                    client.socket().shutdownOutput();
                    assertThat(Objects.requireNonNull(client.next()).status()).isEqualTo(200);
                    assertThat(client.next()).isNull();
                }
            }
        }
    }
}
