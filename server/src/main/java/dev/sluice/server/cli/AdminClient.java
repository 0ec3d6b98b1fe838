package dev.sluice.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Asks the admin port of a running server. What goes wrong becomes an {@link IOException} that says what to do. */
final class AdminClient {
    private static final Duration TO_CONNECT = Duration.ofSeconds(5);
    private static final Duration TO_ANSWER = Duration.ofSeconds(30);
    private static final int MAX_PROBLEM = 64 << 10;
    private static final int MAX_TEXT = 64 << 20;

    /** What a server replied. */
    record Reply(String text, HttpHeaders headers) {}

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TO_CONNECT)
            .build();
    private final String url;
    private final @Nullable String token;
    private final Duration timeout;

    /**
     * A client.
     *
     * @param url the URL of the admin port, as in {@code http://127.0.0.1:8081}
     * @throws IllegalArgumentException if it is none
     */
    AdminClient(String url, @Nullable String token) {
        this(url, token, TO_ANSWER);
    }

    /** The same with another time for the head of a response, and for each next piece of its body. */
    AdminClient(String url, @Nullable String token, Duration timeout) {
        this.url = checked(url);
        this.token = token;
        this.timeout = timeout;
    }

    private static String checked(String url) {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw wrong(url);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        String path = uri.getPath() == null ? "" : uri.getPath();
        boolean right = (scheme.equals("http") || scheme.equals("https"))
                && uri.getHost() != null
                && (path.isEmpty() || path.equals("/"))
                && uri.getQuery() == null
                && uri.getUserInfo() == null;
        if (!right) {
            throw wrong(url);
        }
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    private static IllegalArgumentException wrong(String url) {
        return new IllegalArgumentException(
                "expected the URL of an admin port, such as http://127.0.0.1:8081, was '" + url + "'");
    }

    String url() {
        return url;
    }

    /** Gets a stream, which the caller closes. */
    HttpResponse<InputStream> stream(String path) throws IOException {
        return send(request(path).setHeader("Accept-Encoding", "gzip").build());
    }

    /** Gets a text; headers as name, value, name, value. */
    Reply get(String path, String... headers) throws IOException {
        HttpRequest.Builder request = request(path);
        return text(headers.length == 0 ? request : request.headers(headers));
    }

    /** Puts a text; headers as name, value, name, value. */
    Reply put(String path, String body, String... headers) throws IOException {
        return text(request(path).PUT(BodyPublishers.ofString(body)).headers(headers));
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(timeout);
        return token == null ? request : request.setHeader("Authorization", "Bearer " + token);
    }

    private Reply text(HttpRequest.Builder request) throws IOException {
        HttpResponse<InputStream> response = send(request.build());
        try (InputStream in = response.body()) {
            byte[] text = in.readNBytes(MAX_TEXT + 1);
            if (text.length > MAX_TEXT) {
                throw new IOException("it has more than " + MAX_TEXT + " bytes");
            }
            return new Reply(new String(text, UTF_8), response.headers());
        } catch (IOException e) {
            throw new IOException("the answer of " + response.uri() + " cannot be read: " + e.getMessage(), e);
        }
    }

    private HttpResponse<InputStream> send(HttpRequest request) throws IOException {
        HttpResponse<InputStream> response;
        try {
            response = client.send(request, this::body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + url + " was asked", e);
        } catch (IOException e) {
            throw new IOException(unreachable(e), e);
        }
        if (response.statusCode() / 100 == 2) {
            return response;
        }
        throw new IOException(refused(response.statusCode(), problem(response)));
    }

    private BodySubscriber<InputStream> body(ResponseInfo head) {
        return BodySubscribers.mapping(BodySubscribers.ofInputStream(), in -> new ReadTimeoutStream(in, timeout));
    }

    private String unreachable(IOException e) {
        if (e instanceof HttpTimeoutException) {
            return url + " does not answer; is this the admin port of a server, and may this machine reach it?";
        }
        if (e instanceof ConnectException) {
            return "no server listens at " + url
                    + "; start one with sluice serve --record 64MB, or name its admin port";
        }
        if (e instanceof SSLException) {
            return "no TLS with " + url + ": " + e.getMessage()
                    + "; for a certificate of your own give SLUICE_JAVA_OPTS=-Djavax.net.ssl.trustStore=FILE";
        }
        return url + " does not speak HTTP as an admin port does: " + e.getMessage()
                + (url.startsWith("http:") ? "; with TLS the URL begins with https" : "");
    }

    private String refused(int status, JsonObject problem) {
        String detail = problem.getString("detail", "");
        String type = problem.getString("type", "");
        if (status == 401) {
            return url + " wants a token"
                    + (token == null ? "" : ", and not this one")
                    + ": give it with --admin-token-file FILE or the variable SLUICE_ADMIN_TOKEN";
        }
        if (type.equals("urn:sluice:not-recording")) {
            return url + " does not record requests; start that server with --record 64MB";
        }
        if (status == 404 && detail.contains("/v1/check")) {
            return url + " is the data port of a server; name its admin port, 8081 unless --admin-port says otherwise";
        }
        if (status == 404 && detail.contains("/v1/rules")) {
            return url + " is an older server, which cannot record requests";
        }
        if (detail.isEmpty()) {
            return url + " is no admin port of Sluice: it answers with status " + status;
        }
        return url + " refuses with status " + status + ": " + detail;
    }

    /** What a response that refuses has as JSON; nothing if that cannot be read. */
    private static JsonObject problem(HttpResponse<InputStream> response) {
        try (InputStream in = response.body()) {
            return new JsonObject(new String(in.readNBytes(MAX_PROBLEM), UTF_8));
        } catch (IOException | DecodeException e) {
            return new JsonObject(); // the status says enough
        }
    }

    /** The values of a header field that is a list. */
    static List<String> list(HttpResponse<?> response, String name) {
        String value = response.headers().firstValue(name).orElse("");
        return value.isEmpty() ? List.of() : List.of(value.split("\\s*,\\s*"));
    }
}
