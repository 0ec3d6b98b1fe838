package dev.sluice.server.page;

import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;

/**
 * Serves the script for browsers, {@code /sluice.js}, and its types.
 *
 * <p>Why on the data port: the script is for the public and holds no secret, and a proxy that asks the data port can pass
 * this path on. The admin port must not be passed on; it has the script for its own pages.
 */
public final class BrowserScript implements Handler<HttpServerRequest> {
    private static final String SCRIPT = "/sluice.js";
    private static final String TYPES = "/sluice.d.ts";
    /** Any site may load it. It changes with the version of the server, so it is asked for again soon. */
    private static final Map<String, String> FIELDS = Map.of(
            "Cache-Control", "public, max-age=300",
            "Access-Control-Allow-Origin", "*",
            "Cross-Origin-Resource-Policy", "cross-origin");

    /** Read when they are first asked for. */
    private static final class Files {
        static final StaticFile SCRIPT_FILE = StaticFile.of("sluice.js");
        static final StaticFile TYPES_FILE = StaticFile.of("sluice.d.ts");
    }

    /** Whether a path is one of these. */
    public static boolean isAt(String path) {
        return path.equals(SCRIPT) || path.equals(TYPES);
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            HttpProblem.sendWrongMethod(request, "GET, HEAD");
            return;
        }
        (SCRIPT.equals(request.path()) ? Files.SCRIPT_FILE : Files.TYPES_FILE).send(request, FIELDS);
    }
}
