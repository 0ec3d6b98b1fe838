package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;

/** How the admin port answers: never cached, never guessed at by a browser. */
final class Answers {
    private Answers() {}

    static void json(HttpServerRequest request, int status, JsonObject body) {
        send(request, status, "application/json", body.encodePrettily() + "\n");
    }

    static void send(HttpServerRequest request, int status, String type, String body) {
        HttpServerResponse response = request.response();
        if (!response.ended() && !response.closed()) {
            headed(response).setStatusCode(status).putHeader("Content-Type", type);
            if (request.method().equals(HttpMethod.HEAD)) {
                response.putHeader("Content-Length", Integer.toString(body.getBytes(UTF_8).length))
                        .end();
            } else {
                response.end(body);
            }
        }
    }

    static HttpServerResponse headed(HttpServerResponse response) {
        return response.putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    }
}
