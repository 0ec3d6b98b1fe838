package dev.sluice.server.page;

import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Serves the pages that show what the limits in force are doing, and their scripts, styles and texts. They are the same for
 * everybody: all figures come from the paths under {@code /v1}.
 *
 * <p>A browser may keep a file, and asks each time whether it is still the same: a new version of the server has new ones.
 */
public final class Pages implements Handler<HttpServerRequest> {
    private static final Map<String, String> PAGES =
            Map.of("/", "live.html", "/rule", "rule.html", "/rules", "rules.html", "/explain", "explain.html");
    private static final List<String> ASSETS = List.of(
            "page.css",
            "page.js",
            "charts.js",
            "diff.js",
            "drawing.js",
            "explain.js",
            "live.js",
            "request.js",
            "rule.js",
            "rules.js",
            "text-en.json",
            "text-zh.json",
            "uplot.css",
            "uplot.js");
    private static final Map<String, String> FIELDS = Map.of(
            "Cache-Control",
            "no-cache",
            "Referrer-Policy",
            "no-referrer",
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    private static final Map<String, String> NAMES = names();

    /** Read when a page is first asked for. */
    private static final class Files {
        static final Map<String, StaticFile> BY_PATH = read();

        private static Map<String, StaticFile> read() {
            Map<String, StaticFile> files = new HashMap<>();
            NAMES.forEach((path, name) -> files.put(path, StaticFile.of(name)));
            return files;
        }
    }

    private static Map<String, String> names() {
        Map<String, String> names = new HashMap<>(PAGES);
        ASSETS.forEach(name -> names.put("/" + name, name));
        return names;
    }

    /** Whether a path is one of these. */
    public static boolean isAt(String path) {
        return NAMES.containsKey(path);
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            HttpProblem.sendWrongMethod(request, "GET, HEAD");
            return;
        }
        String path = Objects.requireNonNullElse(request.path(), "/");
        StaticFile file = Files.BY_PATH.get(path);
        if (file == null) {
            HttpProblem.of(404, "there is nothing at " + path).send(request);
        } else {
            file.send(request, FIELDS);
        }
    }
}
