package dev.sluice.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.ManualClock;
import dev.sluice.server.ruleset.InitialRules;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** A server of its own for a test, and ways to ask it. */
final class Service implements AutoCloseable {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final SluiceServer server;

    Service(ServerSettings settings) {
        this.server = SluiceServer.start(settings);
    }

    /** With the time of a test. */
    Service(ServerSettings settings, ManualClock clock) {
        this.server = SluiceServer.start(settings, clock);
    }

    /** On the rules that a file with this text would have. */
    static Service with(String rules) {
        return new Service(settings(rules));
    }

    static ServerSettings settings(String rules) {
        return ServerSettings.of(InitialRules.builtIn("rules.yaml", rules));
    }

    SluiceServer server() {
        return server;
    }

    int port() {
        return server.port();
    }

    HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    HttpResponse<String> post(String body) {
        return send(HttpRequest.newBuilder(uri("/v1/check")).POST(BodyPublishers.ofString(json(body))));
    }

    HttpResponse<String> delete(String path) {
        return send(HttpRequest.newBuilder(uri(path)).DELETE());
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        return sendLater(request).join();
    }

    CompletableFuture<HttpResponse<String>> getLater(String path) {
        return sendLater(HttpRequest.newBuilder(uri(path)));
    }

    CompletableFuture<HttpResponse<String>> sendLater(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    /** What the admin port says under {@code /metrics}. */
    String metrics() {
        URI metrics = URI.create("http://127.0.0.1:" + server.adminPort() + "/metrics");
        return send(HttpRequest.newBuilder(metrics)).body();
    }

    /** One number of those, by its name and labels; -1 if it is not there. */
    double metric(String name) {
        return metrics()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(-1);
    }

    /** A connection of one's own, on which anything can be sent. */
    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Sends bytes on a connection of their own and returns everything that comes back until it is closed. */
    String raw(String request) throws IOException {
        try (Socket socket = connect()) {
            try {
                write(socket, request);
            } catch (SocketException e) {
                // refused before all was sent; the answer is there
            }
            return rest(socket);
        }
    }

    static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Everything that still comes until the other end closes or resets. */
    static String rest(Socket socket) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] buffer = new byte[8192];
        try {
            for (int read; (read = socket.getInputStream().read(buffer)) >= 0; ) {
                text.append(new String(buffer, 0, read, ISO_8859_1));
            }
        } catch (SocketException reset) {
            // as good as closed
        }
        return text.toString();
    }

    /** JSON is easier to read here with single quotes. */
    static String json(String text) {
        return text.replace('\'', '"');
    }

    static JsonObject object(HttpResponse<String> response) {
        return new JsonObject(response.body());
    }

    static String detail(HttpResponse<String> response) {
        return object(response).getString("detail");
    }

    @Override
    public void close() {
        server.close();
    }
}
