package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.redis.servers.RedisServer;
import dev.sluice.server.ruleset.InitialRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The configurations in examples/nginx, in a real nginx, asked by a real curl. Only ports and timeouts are filled in. */
@Tag("slow")
class NginxExampleTest {
    private static final Path EXAMPLE = Path.of("..", "examples", "nginx");
    private static final String OPEN = "nginx.conf";
    private static final String CLOSED = "nginx-closed.conf";
    private static final String PATIENT = "30s";
    private static final String AS_GIVEN = "50ms";

    private final int front = RedisServer.freePort();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private HttpServer app;

    @BeforeEach
    void startApp() throws IOException {
        Assumptions.assumeTrue(Nginx.find().isPresent(), "no nginx here; ./verify installs it");
        app = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        app.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            String path = exchange.getRequestURI().getPath();
            seen.add(exchange.getRequestMethod() + " " + path + " " + body);
            int status = path.startsWith("/status/") ? Integer.parseInt(path.substring(8)) : 200;
            byte[] answer = "the app\n".getBytes(UTF_8);
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        app.start();
    }

    @AfterEach
    void stopApp() {
        if (app != null) {
            app.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {OPEN, CLOSED})
    void overTheLimitTheAppIsSparedAndTheClientIsTold(String file) throws Exception {
        try (Service sluice = sluice();
                Nginx nginx = nginx(file, sluice.port(), PATIENT)) {
            for (int left = 4; left >= 0; left--) {
                Curl.Answer allowed = login();
                assertThat(allowed.status()).isEqualTo(200);
                assertThat(allowed.body()).isEqualTo("the app\n");
                assertThat(allowed.field("RateLimit-Policy")).isEqualTo("\"login-per-ip\";q=5;w=60");
                assertThat(allowed.field("RateLimit")).startsWith("\"login-per-ip\";r=" + left + ";t=");
                assertThat(allowed.field("Retry-After")).isEmpty();
            }
            for (int i = 0; i < 10; i++) {
                Curl.Answer denied = login();
                assertThat(denied.status()).isEqualTo(429);
                assertThat(denied.field("RateLimit-Policy")).isEqualTo("\"login-per-ip\";q=5;w=60");
                assertThat(denied.field("RateLimit")).startsWith("\"login-per-ip\";r=0;t=");
                assertThat(denied.field("Retry-After")).matches("[1-5]?\\d|60");
                assertThat(denied.field("Content-Type")).isEqualTo("application/problem+json");
                assertThat(denied.body())
                        .contains("\"status\":429", "Try again in " + denied.field("Retry-After") + " s.");
            }
            assertThat(curl("/elsewhere").status()).as("another path").isEqualTo(200);
            assertThat(seen).hasSize(6).startsWith("POST /login user=jo").endsWith("GET /elsewhere ");
            assertThat(nginx.log()).as("nothing to complain of").isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({OPEN + ", 403", OPEN + ", 500", CLOSED + ", 403", CLOSED + ", 500", CLOSED + ", 503"})
    void whatTheAppAnswersIsLeftAlone(String file, int status) throws Exception {
        try (Service sluice = sluice();
                Nginx nginx = nginx(file, sluice.port(), PATIENT)) {
            Curl.Answer answer = curl("/status/" + status);
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body()).isEqualTo("the app\n");
            assertThat(nginx.log()).isEmpty();
        }
    }

    /** Neither by a long address, nor by many or long header fields, nor by saying what only nginx may say. */
    @Test
    void noClientCanGetPastIt() throws Exception {
        try (Service sluice = sluice();
                Nginx nginx = nginx(OPEN, sluice.port(), PATIENT)) {
            String[] liar = {"-H", "X-Real-IP: 192.0.2.1", "-H", "X-Forwarded-For: 192.0.2.2", "-H", "X-Original-URI: /"
            };
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                statuses.add(login(liar).status());
            }
            assertThat(statuses).containsOnly(200);
            String[] longField = {"-H", "X-Long: " + "x".repeat(7000), "-H", "X-Longer: " + "x".repeat(7000)};
            assertThat(login(longField).status()).isEqualTo(429);
            assertThat(curl("/login?" + "x".repeat(7900), "-d", "user=jo").status())
                    .isEqualTo(429);
            assertThat(curl("//./login", "--path-as-is", "-d", "user=jo").status())
                    .isEqualTo(429);
            assertThat(curl("/_sluice").status()).as("not for clients").isEqualTo(404);
            assertThat(nginx.log()).isEmpty();
        }
    }

    /** However it is written, a path that nginx or the app takes for login counts as login. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/static/..%2flogin",
                "/static/%2e%2e%2flogin",
                "/login;jsessionid=1",
                "/static/..;/login",
                "/static/..%252flogin",
                "/static/..%5clogin",
                "/login/",
                "//x/login"
            })
    void noSpellingOfAPathGetsPastIt(String path) throws Exception {
        try (Service sluice = sluice();
                Nginx nginx = nginx(OPEN, sluice.port(), PATIENT)) {
            for (int i = 0; i < 5; i++) {
                assertThat(login().status()).isEqualTo(200);
            }
            assertThat(curl(path, "--path-as-is", "-d", "user=jo").status()).isEqualTo(429);
            assertThat(curl("/static/x", "-d", "user=jo").status()).isEqualTo(200);
            assertThat(nginx.log()).isEmpty();
        }
    }

    /** The documented lines for an attribute of one's own, with names that were chosen to break them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x&cost=0",
                "x&ip=192.0.2.1&path=/free&method=GET",
                "a, \"b\"; c=d",
                "x\r\nSluice-Cost: 1\r\nX-Forwarded-For: 192.0.2.9",
                "x\r\nX-Real-IP: 192.0.2.9",
                "x\n",
                "x\r\n\r\nGET /nginx HTTP/1.1\r\nHost: x\r\nX-Original-URI: /free\r\n\r\n",
                "\u00e4\u00f6 \ud83d\ude00"
            })
    void noNameOfAUserGetsPastIt(String user) throws Exception {
        try (Service sluice = Service.with(USERS);
                Nginx nginx = nginxWithUser(sluice.port())) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                statuses.add(asUser(user, "/paid").status());
            }
            assertThat(statuses).containsExactly(200, 200, 200, 429, 429, 429, 429, 429);
            assertThat(asUser("somebody else", "/paid").status()).isEqualTo(200);
            assertThat(nginx.log()).isEmpty();
        }
    }

    /** nginx decodes a path before a configuration takes a part of it, so that the part may have line breaks. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/paid/x%0d%0aX-Real-IP:%20192.0.2.9",
                "/paid/x%0aSluice-Cost:%201",
                "/paid/x%0d%0a%0d%0aGET%20/nginx%20HTTP/1.1%0d%0aHost:%20x%0d%0a%0d%0a"
            })
    void noVariableGetsPastIt(String path) throws Exception {
        try (Service sluice = Service.with(USERS)) {
            String configuration = filled(userLine(sluice.port()), "map $remote_user", "map $who");
            configuration = filled(configuration, "\\z\" $remote_user;", "\\z\" $who;");
            configuration = filled(configuration, "auth_request /_sluice;", "set $who $uri; auth_request /_sluice;");
            try (Nginx nginx = Nginx.start(Nginx.find().orElseThrow(), configuration, front)) {
                List<Integer> statuses = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    statuses.add(curl(path + i).status());
                }
                assertThat(statuses).containsExactly(200, 200, 200, 429, 429, 429, 429, 429);
                assertThat(curl("/paid/y").status()).isEqualTo(200);
                assertThat(nginx.log()).isEmpty();
            }
        }
    }

    /** A configuration that writes attributes into the query does not work; in no case does it let everything through. */
    @ParameterizedTest
    @ValueSource(strings = {"jo", "x&cost=0", "x&ip=192.0.2.1"})
    void aQueryIsRefusedAndNotBelieved(String user) throws Exception {
        try (Service sluice = Service.with(USERS)) {
            String configuration = filled(
                    filled(OPEN, sluice.port(), app.getAddress().getPort(), RedisServer.freePort(), PATIENT),
                    "http://sluice/nginx;",
                    "http://sluice/nginx?user=$remote_user;");
            try (Nginx nginx = Nginx.start(Nginx.find().orElseThrow(), configuration, front)) {
                assertThat(asUser(user, "/paid").status()).isEqualTo(500);
                assertThat(nginx.log()).contains("auth request unexpected status: 400");
                assertThat(seen).isEmpty();
            }
        }
    }

    private static final String USERS = """
            rules:
              - { name: per-user, when: { path: { not: /free } }, key: [user], limits: [3 per 1h sliding-log] }
            """;

    private Nginx nginxWithUser(int sluice) throws IOException {
        return Nginx.start(Nginx.find().orElseThrow(), userLine(sluice), front);
    }

    /** The example with the line for the user. */
    private String userLine(int sluice) throws IOException {
        return filled(
                filled(OPEN, sluice, app.getAddress().getPort(), RedisServer.freePort(), PATIENT),
                "# proxy_set_header Sluice-Attribute-User",
                "proxy_set_header Sluice-Attribute-User");
    }

    private Curl.Answer asUser(String user, String path) throws Exception {
        String credentials = Base64.getEncoder().encodeToString((user + ":pw").getBytes(UTF_8));
        return curl(path, "-H", "Authorization: Basic " + credentials);
    }

    @Test
    void openLetsEverythingThroughWithoutSluice() throws Exception {
        Service sluice = sluice();
        try (Nginx nginx = nginx(OPEN, sluice.port(), PATIENT)) {
            assertThat(login().status()).isEqualTo(200);
            sluice.close();
            for (int i = 0; i < 7; i++) {
                assertThat(login().status()).isEqualTo(200);
            }
            assertThat(seen).hasSize(8);
            assertThat(nginx.log()).contains("Connection refused");
        }
    }

    @Test
    void closedLetsNothingThroughWithoutSluice() throws Exception {
        Service sluice = sluice();
        try (Nginx nginx = nginx(CLOSED, sluice.port(), PATIENT)) {
            assertThat(login().status()).isEqualTo(200);
            sluice.close();
            Curl.Answer answer = login();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.field("Retry-After")).isEqualTo("1");
            assertThat(answer.field("Content-Type")).isEqualTo("application/problem+json");
            assertThat(answer.body()).contains("\"status\":503", "The rate limiter does not answer.");
            assertThat(seen).hasSize(1);
            assertThat(nginx.log()).contains("Connection refused");
        }
    }

    /** It is there, and takes connections, and says nothing. */
    @ParameterizedTest
    @CsvSource({OPEN + ", 200", CLOSED + ", 503"})
    void aSluiceThatHangsIsNotWaitedFor(String file, int status) throws Exception {
        try (ServerSocket hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Nginx nginx = nginx(file, hangs.getLocalPort(), AS_GIVEN)) {
            assertThat(login().status()).isEqualTo(status);
            assertThat(nginx.log()).contains("upstream timed out");
        }
    }

    @Test
    void theStandInAnswersToo() throws Exception {
        int port = RedisServer.freePort();
        try (Service sluice = sluice();
                Nginx nginx = Nginx.start(
                        Nginx.find().orElseThrow(), filled(OPEN, sluice.port(), port, port, PATIENT), front)) {
            assertThat(curl("/x?y").body()).isEqualTo("the app: GET /x?y\n");
            assertThat(nginx.log()).isEmpty();
        }
    }

    @Test
    void theReadmeShowsWhatOneSees() throws Exception {
        String command = "$ curl -si -d user=jo http://127.0.0.1:8000/login\n";
        String readme = Files.readString(EXAMPLE.resolve("README.md"));
        assertThat(readme).contains(command);
        String shown = readme.substring(readme.indexOf(command) + command.length());
        try (Service sluice = sluice();
                Nginx nginx = nginx(OPEN, sluice.port(), PATIENT)) {
            for (int i = 0; i < 5; i++) {
                assertThat(login().status()).isEqualTo(200);
            }
            Curl.Answer denied = login();
            String real = String.join("\n", denied.head()) + "\n\n" + denied.body();
            assertThat(changing(real)).isEqualTo(changing(shown.substring(0, shown.indexOf("```"))));
            assertThat(nginx.log()).isEmpty();
        }
    }

    /** Without what differs from time to time. */
    private static String changing(String answer) {
        return answer.replaceAll("Date: .*", "Date:")
                .replaceAll("Server: .*", "Server:")
                .replaceAll("\\b(60|[1-5]?\\d)\\b", "N")
                .replaceAll("Content-Length: \\d+", "Content-Length:");
    }

    private static Service sluice() {
        return new Service(ServerSettings.of(InitialRules.example()));
    }

    private Nginx nginx(String file, int sluice, String timeout) throws IOException {
        String configuration = filled(file, sluice, app.getAddress().getPort(), RedisServer.freePort(), timeout);
        return Nginx.start(Nginx.find().orElseThrow(), configuration, front);
    }

    private String filled(String file, int sluice, int app, int standIn, String timeout) throws IOException {
        String text = Files.readString(EXAMPLE.resolve(file));
        text = filled(text, "listen 127.0.0.1:8000;", "listen 127.0.0.1:" + front + ";");
        text = filled(text, "listen 127.0.0.1:3000;", "listen 127.0.0.1:" + standIn + ";");
        text = filled(text, "server 127.0.0.1:3000;", "server 127.0.0.1:" + app + ";");
        text = filled(text, "server 127.0.0.1:8080;", "server 127.0.0.1:" + sluice + ";");
        return filled(text, " " + AS_GIVEN + ";", " " + timeout + ";");
    }

    private static String filled(String text, String before, String after) {
        assertThat(text).contains(before);
        return text.replace(before, after);
    }

    private Curl.Answer login(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(options));
        words.addAll(List.of("-d", "user=jo"));
        return curl("/login", words.toArray(String[]::new));
    }

    private Curl.Answer curl(String path, String... options) throws Exception {
        return Curl.get("http://127.0.0.1:" + front + path, options);
    }
}
