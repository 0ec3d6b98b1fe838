package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The rate limit service for those who cannot speak gRPC: {@code POST /json} with the same messages in JSON. 200 when
 * within the limits, 429 when over, with the same answer and its headers.
 */
public final class RateLimitJson implements Handler<HttpServerRequest> {
    private static final System.Logger LOG = System.getLogger(RateLimitJson.class.getName());
    private static final JsonFormat.Parser PARSER = JsonFormat.parser();
    private static final JsonFormat.Printer PRINTER = JsonFormat.printer().omittingInsignificantWhitespace();

    private final RateLimitService service;

    /** The same decisions as {@code service}. */
    public RateLimitJson(RateLimitService service) {
        this.service = service;
    }

    @Override
    public void handle(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.POST)) {
            request.response().putHeader("Allow", "POST");
            refuse(request.response(), 405, "only POST here, was " + request.method());
            return;
        }
        request.exceptionHandler(gone -> LOG.log(System.Logger.Level.DEBUG, "a caller went away", gone));
        Buffer body = Buffer.buffer();
        request.handler(part -> {
            if (body.length() <= RateLimitService.MOST_BYTES) {
                body.appendBuffer(part);
            }
        });
        request.endHandler(end -> answer(request, body));
    }

    private void answer(HttpServerRequest request, Buffer body) {
        HttpServerResponse response = request.response();
        if (body.length() > RateLimitService.MOST_BYTES) {
            refuse(response, 413, "a body may have " + RateLimitService.MOST_BYTES + " bytes");
            return;
        }
        RateLimitRequest.Builder asked = RateLimitRequest.newBuilder();
        try {
            PARSER.merge(body.toString(), asked);
        } catch (InvalidProtocolBufferException | RuntimeException e) {
            refuse(response, 400, "not a RateLimitRequest in JSON: " + e.getMessage());
            return;
        }
        service.decide(asked.build(), new RateLimitService.Asker() {
            @Override
            public void answer(RateLimitResponse answer) {
                send(response, answer);
            }

            @Override
            public void invalid(String reason) {
                refuse(response, 400, reason);
            }

            @Override
            public void failed(@Nullable Throwable failure) {
                LOG.log(System.Logger.Level.ERROR, "a rate limit request could not be decided", failure);
                refuse(response, 500, "the request could not be decided");
            }
        });
    }

    private static void send(HttpServerResponse response, RateLimitResponse answer) {
        response.setStatusCode(answer.getOverallCode() == RateLimitResponse.Code.OVER_LIMIT ? 429 : 200);
        response.putHeader("Content-Type", "application/json");
        answer.getResponseHeadersToAddList().forEach(header -> response.putHeader(header.getKey(), header.getValue()));
        response.end(print(answer));
    }

    static String print(RateLimitResponse answer) {
        try {
            return PRINTER.print(answer) + "\n";
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("an answer that is no JSON: " + answer, e);
        }
    }

    private static void refuse(HttpServerResponse response, int status, String detail) {
        response.setStatusCode(status)
                .putHeader("Content-Type", "application/problem+json")
                .end(new JsonObject()
                                .put("type", "about:blank")
                                .put(
                                        "title",
                                        io.netty.handler.codec.http.HttpResponseStatus.valueOf(status)
                                                .reasonPhrase())
                                .put("status", status)
                                .put("detail", detail)
                                .encode()
                        + "\n");
    }
}
