package dev.sluice.server.check;

import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.record.Recorder;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.BodyReader;
import dev.sluice.server.web.Bounds;
import dev.sluice.server.web.Exchange;
import dev.sluice.server.web.HttpProblem;
import dev.sluice.server.web.PortHandler;
import dev.sluice.server.web.VertxExchange;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Routes the requests of the data port. One for each event loop, and used by that one alone.
 *
 * <p>The two paths of nearly all requests are compared first and by hand.
 */
public final class DataPort implements PortHandler {
    private static final System.Logger LOG = System.getLogger(DataPort.class.getName());
    private static final String CHECK = "/v1/check";
    private static final String NGINX = "/nginx";
    private static final String HOLDS = "/v1/holds/";

    private final Vertx vertx;
    private final RuleEngine engine;
    private final CheckService checks;
    private final NginxReader nginx = new NginxReader();
    private final BodyReader bodies;
    private final int maxChecks;
    private final BooleanSupplier ready;
    private final Handler<HttpServerRequest> others;

    /**
     * @param ready whether the server takes new requests
     * @param listener hears of every check
     * @param recorder records every check; null for none
     * @param fields which header fields the responses have
     * @param others answers requests for all other paths
     */
    public DataPort(
            Vertx vertx,
            RuleEngine engine,
            Bounds bounds,
            BodyBudget budget,
            BooleanSupplier ready,
            CheckListener listener,
            @Nullable Recorder recorder,
            HeaderFields fields,
            Handler<HttpServerRequest> others) {
        this.vertx = vertx;
        this.engine = engine;
        this.checks = new CheckService(vertx, engine, listener, recorder, fields);
        this.bodies = new BodyReader(vertx, bounds.request().bodyBytes(), bounds.requestTimeout(), budget);
        this.maxChecks = bounds.request().checks();
        this.ready = ready;
        this.others = others;
    }

    @Override
    public boolean takes(String uri) {
        return isAt(uri, CHECK) || isAt(uri, NGINX);
    }

    @Override
    public void handle(Exchange get) {
        try {
            String uri = get.uri();
            if (isAt(uri, CHECK)) {
                checks.one(get, QueryReader.read(uri, CHECK.length() + 1), null);
            } else {
                checks.nginx(get, nginx.read(get, uri.substring(NGINX.length()), engine.rules()));
            }
        } catch (RuntimeException e) {
            refuse(get, e);
        }
    }

    @Override
    public void handle(HttpServerRequest request) {
        try {
            String uri = request.uri();
            if (isAt(uri, CHECK)) {
                check(request);
            } else if (!isAt(uri, NGINX)) {
                rest(request);
            } else if (isRead(request)) {
                handle(new VertxExchange(request));
            } else {
                HttpProblem.sendWrongMethod(request, "GET, HEAD");
            }
        } catch (RuntimeException e) {
            refuse(new VertxExchange(request), e);
        }
    }

    private static void refuse(Exchange exchange, RuntimeException e) {
        if (e instanceof HttpProblem problem) {
            problem.send(exchange);
        } else if (e instanceof IllegalArgumentException) {
            HttpProblem.badRequest(String.valueOf(e.getMessage())).send(exchange);
        } else {
            LOG.log(System.Logger.Level.ERROR, "a request failed: " + exchange.method() + " " + exchange.path(), e);
            HttpProblem.of(500, "the request failed; the log of the server says why")
                    .send(exchange);
        }
    }

    private static boolean isAt(String uri, String path) {
        int length = path.length();
        return uri.startsWith(path) && (uri.length() == length || uri.charAt(length) == '?');
    }

    private void check(HttpServerRequest request) {
        HttpMethod method = request.method();
        if (method.equals(HttpMethod.GET)) {
            handle(new VertxExchange(request));
        } else if (method.equals(HttpMethod.POST)) {
            bodies.read(request).onComplete(read -> {
                if (read.succeeded()) {
                    post(new VertxExchange(request), read.result());
                } else if (read.cause() instanceof HttpProblem problem) { // or the client has gone
                    problem.send(request);
                }
            });
        } else {
            HttpProblem.sendWrongMethod(request, "GET, POST");
        }
    }

    private void post(Exchange exchange, Buffer body) {
        try {
            CheckReader.Checks read = CheckReader.read(body.getBytes(), maxChecks);
            if (read.list()) {
                checks.list(exchange, read.all());
            } else {
                checks.one(
                        exchange, read.all().get(0).request(), read.all().get(0).lease());
            }
        } catch (RuntimeException e) {
            refuse(exchange, e);
        }
    }

    private void rest(HttpServerRequest request) {
        String path = Objects.requireNonNullElse(request.path(), "/");
        switch (path) {
            case CHECK, NGINX -> // not in the usual form, for example as a whole URL
                HttpProblem.badRequest("the target of a request must begin with a slash, was "
                                + HttpProblem.quoted(request.uri()))
                        .send(request);
            case "/healthz" -> plain(request, 200, "ok\n");
            case "/readyz" -> {
                boolean isReady = ready.getAsBoolean();
                plain(request, isReady ? 200 : 503, isReady ? "ready\n" : "stopping\n");
            }
            default -> {
                if (path.startsWith(HOLDS)) {
                    hold(request, path.substring(HOLDS.length()));
                } else {
                    others.handle(request);
                }
            }
        }
    }

    private void hold(HttpServerRequest request, String id) {
        if (!request.method().equals(HttpMethod.DELETE)) {
            HttpProblem.sendWrongMethod(request, "DELETE");
            return;
        }
        Context context = vertx.getOrCreateContext();
        engine.leases()
                .release(id)
                .whenComplete((found, failure) -> context.runOnContext(turn -> {
                    if (failure != null) {
                        HttpProblem.of(503, "the store does not answer; try again, or let the lease end the hold")
                                .field(VerdictWriter.RETRY_AFTER, "1")
                                .send(request);
                    } else if (found) {
                        request.response().setStatusCode(204).end();
                    } else {
                        HttpProblem.of(404, "no such hold: it was released, its lease has ended, or its rule is gone")
                                .send(request);
                    }
                }));
    }

    private static boolean isRead(HttpServerRequest request) {
        return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    }

    private static void plain(HttpServerRequest request, int status, String text) {
        if (!isRead(request)) {
            HttpProblem.sendWrongMethod(request, "GET, HEAD");
            return;
        }
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .putHeader("Cache-Control", "no-store")
                .end(text);
    }
}
