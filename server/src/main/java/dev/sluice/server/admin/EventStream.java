package dev.sluice.server.admin;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.server.metrics.DenialListener;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends events to clients as Server-Sent Events: a sample of the denials, changes of the rules and of keys, and whether the
 * store answers.
 *
 * <p>It waits for no client: one that reads too slowly is cut off and counted. While there is no client, an event costs one
 * read.
 */
final class EventStream implements DenialListener {
    private static final int MAX_CLIENTS = 32;
    private static final int MAX_PENDING = 256;
    private static final int MAX_UNSENT_BYTES = 256 * 1024;
    private static final int DENIALS_PER_SECOND = 20;
    private static final long HEARTBEAT_MILLIS = 15_000;
    private static final Buffer HEARTBEAT = Buffer.buffer(": still here\n\n");

    private final Vertx vertx;
    private final Set<Client> clients = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong lastId = new AtomicLong();
    private final Limiter sample = Limiter.local(Limit.tokenBucket(DENIALS_PER_SECOND, Duration.ofSeconds(1)));
    private final Clock clock = Clock.tickMillis(ZoneOffset.UTC);
    private final LongAdder skipped = new LongAdder();
    final LongAdder slowClients = new LongAdder();

    private final class Client {
        final Context context = vertx.getOrCreateContext();
        final HttpServerRequest request;
        final HttpServerResponse response;
        final AtomicInteger pending = new AtomicInteger();

        Client(HttpServerRequest request) {
            this.request = request;
            this.response = request.response();
        }

        void send(Buffer event) {
            if (pending.incrementAndGet() > MAX_PENDING) {
                leave(this, true);
                return;
            }
            context.runOnContext(now -> {
                pending.decrementAndGet();
                if (response.closed() || response.ended()) {
                    leave(this, false);
                } else if (response.writeQueueFull()) {
                    leave(this, true);
                } else {
                    response.write(event);
                }
            });
        }
    }

    EventStream(Vertx vertx) {
        this.vertx = vertx;
        vertx.setPeriodic(HEARTBEAT_MILLIS, timer -> clients.forEach(client -> client.send(HEARTBEAT)));
    }

    int clients() {
        return count.get();
    }

    @Override
    public boolean isListening() {
        return count.get() > 0;
    }

    /** Sends an event to every client. */
    void publish(String type, JsonObject data) {
        if (count.get() == 0) {
            return;
        }
        data.put("when", clock.instant().toString());
        Buffer event = Buffer.buffer(
                "id: " + lastId.incrementAndGet() + "\nevent: " + type + "\ndata: " + data.encode() + "\n\n");
        clients.forEach(client -> client.send(event));
    }

    /** Sends a denial, unless there are too many; then the next one says how many were left out. */
    @Override
    public void denied(String rule, String key, String outcome, long retryAfterMillis) {
        if (count.get() == 0) {
            return;
        }
        if (!sample.tryAcquire()) {
            skipped.increment();
            return;
        }
        publish(
                "denied",
                new JsonObject()
                        .put("rule", rule)
                        .put("key", key)
                        .put("outcome", outcome)
                        .put("retryAfterMs", retryAfterMillis)
                        .put("leftOut", skipped.sumThenReset()));
    }

    /** Adds a client, until it closes the connection or reads too slowly. */
    void serve(HttpServerRequest request) {
        if (count.incrementAndGet() > MAX_CLIENTS) {
            count.decrementAndGet();
            AdminRequest.send(
                    request,
                    HttpProblem.of(
                            503, "too-many-listeners", "the event stream has at most " + MAX_CLIENTS + " listeners"));
            return;
        }
        HttpServerResponse response = AdminRequest.secure(request.response())
                .setChunked(true)
                .setWriteQueueMaxSize(MAX_UNSENT_BYTES)
                .putHeader("Content-Type", "text/event-stream");
        Client client = new Client(request);
        clients.add(client);
        response.closeHandler(gone -> leave(client, false));
        response.exceptionHandler(broken -> leave(client, false));
        response.write(": events follow\n\n");
    }

    private void leave(Client client, boolean slow) {
        if (clients.remove(client)) {
            count.decrementAndGet();
            if (slow) {
                slowClients.increment();
                AdminRequest.cutOff(client.request);
            }
        }
    }
}
