package dev.sluice.server.web;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Serves the OpenAPI document of a port, at {@link #PATH}. */
public final class OpenApi implements Handler<HttpServerRequest> {
    /** The path of the document. */
    public static final String PATH = "/openapi.yaml";

    private final Buffer document;

    private OpenApi(String name) {
        try (InputStream in = Objects.requireNonNull(OpenApi.class.getResourceAsStream(name), name)) {
            this.document = Buffer.buffer(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    public static OpenApi ofDataPort() {
        return new OpenApi("openapi-data.yaml");
    }

    public static OpenApi ofAdminPort() {
        return new OpenApi("openapi-admin.yaml");
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (request.method().equals(HttpMethod.GET)) {
            request.response().putHeader("Content-Type", "application/yaml").end(document);
        } else {
            HttpProblem.sendWrongMethod(request, "GET");
        }
    }
}
