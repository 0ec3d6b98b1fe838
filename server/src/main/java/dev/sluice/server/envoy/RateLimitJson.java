package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
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
 * within the limits and 429 over them; the header fields of the response message are header fields here.
 */
public final class RateLimitJson implements Handler<HttpServerRequest> {
    private static final JsonFormat.Parser PARSER = JsonFormat.parser();
    private static final JsonFormat.Printer PRINTER = JsonFormat.printer().omittingInsignificantWhitespace();

    private final RateLimitService service;
    private final BodyReader bodies;

    /**
     * @param service decides the requests
     * @param timeout how long a client may take to send a body
     */
    public RateLimitJson(Vertx vertx, RateLimitService service, Duration timeout) {
        this.service = service;
        this.bodies = new BodyReader(vertx, RateLimitService.MAX_MESSAGE_BYTES, timeout);
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.POST)) {
            HttpProblem.sendWrongMethod(request, "POST");
            return;
        }
        bodies.read(request).compose(body -> decide(request, body)).onComplete(decided -> {
            if (decided.succeeded()) {
                send(request.response(), decided.result());
            } else {
                problem(decided.cause()).send(request);
            }
        });
    }

    private Future<RateLimitResponse> decide(HttpServerRequest call, Buffer body) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
        try {
            PARSER.merge(body.toString(), request);
        } catch (InvalidProtocolBufferException | RuntimeException e) {
            throw HttpProblem.badRequest("not a RateLimitRequest in JSON: " + e.getMessage());
        }
        return service.decide(call, request.build());
    }

    private static HttpProblem problem(Throwable failure) {
        if (failure instanceof HttpProblem problem) {
            return problem;
        }
        return failure instanceof Descriptors.InvalidRequest
                ? HttpProblem.badRequest(String.valueOf(failure.getMessage()))
                : HttpProblem.of(500, "the request could not be decided");
    }

    private static void send(HttpServerResponse response, RateLimitResponse message) {
        if (response.closed()) {
            return;
        }
        response.setStatusCode(message.getOverallCode() == RateLimitResponse.Code.OVER_LIMIT ? 429 : 200);
        response.putHeader("Content-Type", "application/json");
        message.getResponseHeadersToAddList().forEach(header -> response.putHeader(header.getKey(), header.getValue()));
        response.end(print(message));
    }

    static String print(RateLimitResponse message) {
        try {
            return PRINTER.print(message) + "\n";
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a response that is no JSON: " + message, e);
        }
    }
}
