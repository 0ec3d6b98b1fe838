package dev.sluice.server.web;

import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.VertxMetricsFactory;
import io.vertx.core.spi.metrics.HttpServerMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import io.vertx.core.spi.observability.HttpRequest;
import io.vertx.core.spi.observability.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts connections, responses and bytes of each port. Vert.x and {@link DirectRequests} call it; a request costs two
 * additions, or three with a body.
 *
 * <p>Why by way of Vert.x's interface for metrics: it sees every response that Vert.x sends, also to requests that no
 * handler ever sees.
 */
public final class HttpCounters implements VertxMetricsFactory {
    private final Map<String, Port> ports = new LinkedHashMap<>();
    private volatile Port next = new Port();

    /** The counters of one port. */
    public static final class Port implements HttpServerMetrics<Object, Object, Object> {
        private static final int FIRST_STATUS = 100;
        private static final int LAST_STATUS = 599;
        private static final Object ANY = new Object();

        private final LongAdder opened = new LongAdder();
        private final LongAdder closed = new LongAdder();
        private final LongAdder received = new LongAdder();
        private final LongAdder sent = new LongAdder();
        private final LongAdder resets = new LongAdder();
        private final LongAdder[] statuses = new LongAdder[LAST_STATUS - FIRST_STATUS + 1];

        Port() {
            for (int i = 0; i < statuses.length; i++) {
                statuses[i] = new LongAdder();
            }
        }

        /** How many connections were opened. */
        public long opened() {
            return opened.sum();
        }

        /** How many connections are open. */
        public long open() {
            long gone = closed.sum(); // first, so that the difference is never negative
            return opened.sum() - gone;
        }

        /** The bytes of the bodies of requests. */
        public long receivedBytes() {
            return received.sum();
        }

        /** The bytes of the bodies of responses. */
        public long sentBytes() {
            return sent.sum();
        }

        /** How many requests ended without a whole response, because their client had gone. */
        public long resets() {
            return resets.sum();
        }

        /** The number of responses by status, of those statuses that were sent. */
        public Map<Integer, Long> responses() {
            Map<Integer, Long> responses = new LinkedHashMap<>();
            for (int i = 0; i < statuses.length; i++) {
                long count = statuses[i].sum();
                if (count > 0) {
                    responses.put(FIRST_STATUS + i, count);
                }
            }
            return responses;
        }

        @Override
        public Object connected(SocketAddress remoteAddress, @Nullable String remoteName) {
            opened.increment();
            return ANY;
        }

        @Override
        public void disconnected(@Nullable Object socket, SocketAddress remoteAddress) {
            closed.increment();
        }

        @Override
        public void requestEnd(@Nullable Object request, @Nullable HttpRequest head, long bytes) {
            if (bytes > 0) { // few have a body
                received.add(bytes);
            }
        }

        @Override
        public void requestReset(@Nullable Object request) {
            reset();
        }

        @Override
        public void responseEnd(@Nullable Object request, HttpResponse response, long bytes) {
            responded(response.statusCode(), bytes);
        }

        /** A request ended without a whole response. */
        void reset() {
            resets.increment();
        }

        /** A response was sent, with so many bytes in its body. */
        void responded(int status, long bytes) {
            if (bytes > 0) { // nginx gets none
                sent.add(bytes);
            }
            if (status >= FIRST_STATUS && status <= LAST_STATUS) {
                statuses[status - FIRST_STATUS].increment();
            }
        }
    }

    /** Counts the port that is opened next under this name; its counters. */
    public Port next(String name) {
        synchronized (ports) {
            Port port = ports.computeIfAbsent(name, unknown -> new Port());
            next = port;
            return port;
        }
    }

    /** The counters of the ports, by name. */
    public Map<String, Port> ports() {
        synchronized (ports) {
            return Map.copyOf(ports);
        }
    }

    @Override
    public VertxMetrics metrics(VertxOptions options) {
        return new VertxMetrics() {
            @Override
            public HttpServerMetrics<?, ?, ?> createHttpServerMetrics(HttpServerOptions server, SocketAddress address) {
                return next;
            }
        };
    }
}
