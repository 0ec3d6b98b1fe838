package dev.sluice.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One check of a server of its own on the loopback interface, once in a JVM.
 *
 * <p>Why: the first check of a process loads the classes of the JDK's HTTP client and ours. On a busy machine that takes
 * longer than the timeout, and then the failure policy would decide it.
 *
 * <p>Nobody waits for it longer than {@link #BOUND}. Where it cannot be done, the first check is slow as it would have been.
 */
final class WarmUp {
    private static final Duration BOUND = Duration.ofSeconds(1);
    private static final byte[] HOST = {127, 0, 0, 1};
    private static final Check CHECK = Check.of("warm", "up");
    private static final String ALLOWED = "{\"allowed\":true,\"rule\":\"r\",\"limit\":1,\"remaining\":0,"
            + "\"retryAfterMs\":0,\"resetAfterMs\":1000,\"limits\":[]}";
    private static final String REPLY = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
            + ALLOWED.length() + "\r\n\r\n" + ALLOWED;

    private static final AtomicBoolean BEGUN = new AtomicBoolean();
    private static final CompletableFuture<Boolean> DONE = new CompletableFuture<>();

    private WarmUp() {}

    /** Waits for the check, which the first call begins. Returns whether a reply came. */
    static boolean await() {
        if (BEGUN.compareAndSet(false, true)) {
            begin();
        }
        return DONE.copy()
                .completeOnTimeout(false, BOUND.toNanos(), TimeUnit.NANOSECONDS)
                .join();
    }

    private static void begin() {
        try {
            // not the loopback address: that is another one where IPv6 is preferred
            ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByAddress(HOST));
            Thread server = new Thread(() -> answer(listener), "sluice-client-warm-up");
            server.setDaemon(true);
            server.start();
            check(listener);
        } catch (IOException | RuntimeException e) {
            DONE.complete(false);
        }
    }

    private static void check(ServerSocket listener) {
        URI here = URI.create("http://127.0.0.1:" + listener.getLocalPort());
        HttpClient.Builder direct = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY);
        Transport transport = new Transport(here, ClientOptions.defaults(), direct);
        StringBuilder json = new StringBuilder();
        CHECK.write(json);
        transport
                .send("POST", "/v1/check", json.toString(), BOUND, REPLY.length())
                .handle((reply, failure) -> DONE.complete(failure == null && isRead(reply)));
    }

    private static boolean isRead(Reply reply) {
        try {
            return CheckReader.one(reply).allowed();
        } catch (CheckReader.NoDecision e) {
            return false;
        }
    }

    /** Answers one request, and ends when the client is done or too late. */
    private static void answer(ServerSocket listener) {
        int millis = (int) BOUND.toMillis();
        try (listener) {
            listener.setSoTimeout(millis);
            try (Socket socket = listener.accept()) {
                socket.setSoTimeout(millis);
                InputStream in = socket.getInputStream();
                for (int last = in.read(); last >= 0 && last != '}'; last = in.read()) {
                    // the body ends with the only '}' of the request
                }
                socket.getOutputStream().write(REPLY.getBytes(UTF_8));
                DONE.copy()
                        .completeOnTimeout(false, millis, TimeUnit.MILLISECONDS)
                        .join();
            }
        } catch (IOException e) {
            // the client has given up
        }
    }
}
