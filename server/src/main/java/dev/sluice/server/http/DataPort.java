package dev.sluice.server.http;

import dev.sluice.rules.Request;
import dev.sluice.rules.RuleEngine;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Answers what comes to the data port over HTTP. One for each event loop, and used by that one alone.
 *
 * <p>The paths that are asked for all the time are told apart first and by hand.
 */
public final class DataPort implements Handler<HttpServerRequest> {
    private static final System.Logger LOG = System.getLogger(DataPort.class.getName());
    private static final String CHECK = "/v1/check";
    private static final String NGINX = "/nginx";
    private static final String LEASES = "/v1/leases/";

    private final RuleEngine engine;
    private final Leases leases;
    private final Checks checks;
    private final NginxReader nginx = new NginxReader();
    private final Bodies bodies;
    private final int mostInList;
    private final BooleanSupplier ready;
    private final Handler<HttpServerRequest> others;

    /**
     * @param ready whether new requests are welcome
     * @param took told how many nanoseconds a check took
     * @param others answers what has no place here
     */
    public DataPort(
            Vertx vertx,
            RuleEngine engine,
            Leases leases,
            Bounds bounds,
            BooleanSupplier ready,
            LongConsumer took,
            Handler<HttpServerRequest> others) {
        this.engine = engine;
        this.leases = leases;
        this.checks = new Checks(vertx, engine, leases, took);
        this.bodies = new Bodies(vertx, bounds);
        this.mostInList = bounds.batch();
        this.ready = ready;
        this.others = others;
    }

    @Override
    public void handle(HttpServerRequest request) {
        try {
            String uri = request.uri();
            if (isAt(uri, CHECK)) {
                check(request, uri);
            } else if (isAt(uri, NGINX)) {
                nginx(request, uri);
            } else {
                rest(request);
            }
        } catch (RuntimeException e) {
            refuse(request, e);
        }
    }

    private static void refuse(HttpServerRequest request, RuntimeException e) {
        if (e instanceof Refusal refusal) {
            Problem.send(request, refusal.status(), refusal.detail());
        } else if (e instanceof IllegalArgumentException) {
            Problem.send(request, 400, String.valueOf(e.getMessage()));
        } else {
            LOG.log(System.Logger.Level.ERROR, "a request failed: " + request.method() + " " + request.path(), e);
            Problem.send(request, 500, "the request failed; the log of the server says why");
        }
    }

    private static boolean isAt(String uri, String path) {
        int length = path.length();
        return uri.startsWith(path) && (uri.length() == length || uri.charAt(length) == '?');
    }

    private static String query(String uri, String path) {
        return uri.length() > path.length() ? uri.substring(path.length() + 1) : "";
    }

    private void check(HttpServerRequest request, String uri) {
        HttpMethod method = request.method();
        if (method.equals(HttpMethod.GET)) {
            checks.one(request, new Check(Query.read(query(uri, CHECK))));
        } else if (method.equals(HttpMethod.POST)) {
            bodies.read(request, body -> posted(request, body));
        } else {
            Problem.wrongMethod(request, "GET, POST");
        }
    }

    private void posted(HttpServerRequest request, Buffer body) {
        try {
            CheckReader.Checks asked = CheckReader.read(body.getBytes(), mostInList);
            if (asked.list()) {
                checks.list(request, asked.all());
            } else {
                checks.one(request, asked.all().get(0));
            }
        } catch (RuntimeException e) {
            refuse(request, e);
        }
    }

    private void nginx(HttpServerRequest request, String uri) {
        if (!reads(request)) {
            Problem.wrongMethod(request, "GET, HEAD");
            return;
        }
        Request asked = nginx.read(request, query(uri, NGINX), engine.rules());
        checks.nginx(request, new Check(asked));
    }

    private void rest(HttpServerRequest request) {
        String path = Objects.requireNonNullElse(request.path(), "/");
        switch (path) {
            case CHECK, NGINX -> // in a form that is not the usual one, such as a whole URL
                Problem.send(
                        request,
                        400,
                        "the target of a request must begin with a slash, was " + Refusal.shown(request.uri()));
            case "/healthz" -> plain(request, 200, "ok\n");
            case "/readyz" -> {
                boolean welcome = ready.getAsBoolean();
                plain(request, welcome ? 200 : 503, welcome ? "ready\n" : "stopping\n");
            }
            default -> {
                if (path.startsWith(LEASES)) {
                    lease(request, path.substring(LEASES.length()));
                } else {
                    others.handle(request);
                }
            }
        }
    }

    private void lease(HttpServerRequest request, String id) {
        if (!request.method().equals(HttpMethod.DELETE)) {
            Problem.wrongMethod(request, "DELETE");
        } else if (leases.free(id)) {
            request.response().setStatusCode(204).end();
        } else {
            Problem.send(request, 404, "no such lease: it was freed, it has run out, or another server gave it");
        }
    }

    private static boolean reads(HttpServerRequest request) {
        return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    }

    private static void plain(HttpServerRequest request, int status, String text) {
        if (!reads(request)) {
            Problem.wrongMethod(request, "GET, HEAD");
            return;
        }
        request.response()
                .setStatusCode(status)
                .putHeader(Problem.CONTENT_TYPE, "text/plain; charset=utf-8")
                .putHeader("Cache-Control", "no-store")
                .end(text);
    }
}
