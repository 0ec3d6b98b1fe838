package dev.sluice.bench.soak;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.Random;

/** A kind of hostile client, and what it does on one connection. */
enum Hostile {
    SLOW_HEADS("slow heads", 50, 4000) {
        @Override
        void attack(Connection connection, Random random) throws IOException {
            connection.send("GET /v1/check?ip=203.0.113.9 HTTP/1.1\r\n");
            drip(connection, "X-More: and more\r\n");
        }
    },
    SLOW_BODIES("slow bodies", 50, 4000) {
        @Override
        void attack(Connection connection, Random random) throws IOException {
            connection.send("POST /" + (random.nextBoolean() ? "json" : "v1/check")
                    + " HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n");
            connection.send(" ".repeat(20_000));
            drip(connection, "                  ");
        }
    },
    HALF_OPEN_STREAMS("half-open streams", 5, 2000) {
        @Override
        void attack(Connection connection, Random random) throws IOException {
            connection.send(Http2Bytes.preface());
            for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
                connection.send(Http2Bytes.head(stream, "POST", "/v1/check", "application/json"));
            }
            connection.linger(1000);
        }
    },
    UNFINISHED_GRPC("unfinished gRPC messages", 5, 1000) {
        @Override
        void attack(Connection connection, Random random) throws IOException {
            connection.send(Http2Bytes.preface());
            byte[] begin = new byte[8000];
            begin[2] = 3; // a message of 196,608 bytes
            for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
                connection.send(Http2Bytes.head(stream, "POST", GRPC, "application/grpc"));
                connection.send(Http2Bytes.data(stream, begin));
                connection.pause(2);
            }
            connection.linger(1000);
        }
    },
    RESETS("resets", 5, 500) {
        @Override
        void attack(Connection connection, Random random) throws IOException {
            connection.send(Http2Bytes.preface());
            for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
                connection.send(Http2Bytes.head(stream, "POST", GRPC, "application/grpc"));
                connection.send(Http2Bytes.reset(stream));
            }
            connection.linger(100);
        }
    },
    HANG_UPS("waiters that hang up", 20, 20) {
        @Override
        void attack(Connection connection, Random random) throws IOException {
            connection.send("GET /v1/check?path=/wait&user=" + random.nextInt(50) + " HTTP/1.1\r\nHost: x\r\n\r\n");
            connection.pause(random.nextInt(30));
        }
    },
    FLOOD_OF_KEYS("flood of keys", 2, 100) {
        @Override
        void attack(Connection connection, Random random) throws IOException {
            StringBuilder requests = new StringBuilder();
            for (int i = 0; i < 200; i++) {
                requests.append("GET /v1/check?path=/flood&ip=")
                        .append(Integer.toHexString(random.nextInt()))
                        .append("x HTTP/1.1\r\nHost: x\r\n\r\n");
            }
            connection.send(requests.toString());
            connection.linger(500);
        }
    },
    BAD_BYTES("bad bytes and frames", 5, 50) {
        @Override
        void attack(Connection connection, Random random) throws IOException {
            byte[] bytes = new byte[1 + random.nextInt(2000)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                connection.send(Http2Bytes.preface());
                connection.send(Http2Bytes.frame(
                        random.nextInt(12), random.nextInt(256), random.nextInt(8), new byte[random.nextInt(300)]));
            }
            connection.send(random.nextBoolean() ? bytes : "POST /json HTTP/1.1\r\nContent-Le".getBytes(US_ASCII));
            connection.linger(50);
        }
    };

    private static final int STREAMS = 100;
    private static final String GRPC = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

    final String label;
    /** How many clients of this kind there are at once. */
    final int clients;
    /** How long each rests between two connections. */
    final int restMillis;

    Hostile(String label, int clients, int restMillis) {
        this.label = label;
        this.clients = clients;
        this.restMillis = restMillis;
    }

    /** Does its worst on a connection; ends when the server ends it, or after a few seconds. */
    abstract void attack(Connection connection, Random random) throws IOException;

    /** A little now and then, for longer than any client has. */
    private static void drip(Connection connection, String part) throws IOException {
        for (int i = 0; i < 60; i++) {
            connection.pause(250);
            connection.send(part);
        }
    }
}
