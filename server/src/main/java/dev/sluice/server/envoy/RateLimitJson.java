package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.BodyReader;
import dev.sluice.server.web.HttpProblem;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;

/**
 * The rate limit service for clients without gRPC: {@code POST /json} with the same messages in JSON. The status is 200
 * within the limits and 429 over them; the header fields of the response message are header fields here. One for each
 * event loop.
 */
public final class RateLimitJson implements Handler<HttpServerRequest> {
    private static final JsonFormat.Parser PARSER = JsonFormat.parser();
    private static final JsonFormat.Printer PRINTER = JsonFormat.printer().omittingInsignificantWhitespace();

    private final RateLimitService service;
    private final BodyReader bodies;

    /**
     * @param service decides the requests
     * @param timeout how long a client may take to send a body
     * @param budget the memory of unfinished bodies
     */
    public RateLimitJson(Vertx vertx, RateLimitService service, Duration timeout, BodyBudget budget) {
        this.service = service;
        this.bodies = new BodyReader(vertx, RateLimitService.MAX_MESSAGE_BYTES, timeout, budget);
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.POST)) {
            HttpProblem.sendWrongMethod(request, "POST");
            return;
        }
        bodies.read(request).onComplete(read -> {
            if (read.succeeded()) {
                decide(request, read.result());
            } else if (read.cause() instanceof HttpProblem problem) { // or the client has gone
                problem.send(request);
            }
        });
    }

    private void decide(HttpServerRequest request, Buffer body) {
        RateLimitRequest.Builder message = RateLimitRequest.newBuilder();
        try {
            PARSER.merge(body.toString(), message);
        } catch (InvalidProtocolBufferException | RuntimeException e) {
            HttpProblem.badRequest("not a RateLimitRequest in JSON: " + e.getMessage())
                    .send(request);
            return;
        }
        service.answer(request, message.build(), null, new RateLimitService.Reply() {
            @Override
            public Future<Void> send(RateLimitResponse response) {
                return RateLimitJson.send(request.response(), response);
            }

            @Override
            public void fail(Throwable failure) {
                problem(failure).send(request);
            }
        });
    }

    private static HttpProblem problem(Throwable failure) {
        return failure instanceof Descriptors.InvalidRequest
                ? HttpProblem.badRequest(String.valueOf(failure.getMessage()))
                : HttpProblem.of(500, "the request could not be decided");
    }

    private static Future<Void> send(HttpServerResponse response, RateLimitResponse message) {
        response.setStatusCode(message.getOverallCode() == RateLimitResponse.Code.OVER_LIMIT ? 429 : 200);
        response.putHeader("Content-Type", "application/json");
        message.getResponseHeadersToAddList().forEach(header -> response.putHeader(header.getKey(), header.getValue()));
        return response.end(print(message));
    }

    static String print(RateLimitResponse message) {
        try {
            return PRINTER.print(message) + "\n";
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a response that is no JSON: " + message, e);
        }
    }
}
