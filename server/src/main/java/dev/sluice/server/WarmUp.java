package dev.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.check.CheckListener;
import dev.sluice.server.check.DataPort;
import dev.sluice.server.check.HeaderFields;
import dev.sluice.server.log.ServerLog;
import dev.sluice.server.web.BodyBudget;
import dev.sluice.server.web.Bounds;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to itself before clients do. The first requests load classes and take longer than a proxy waits, which
 * would then let everything through, or nothing.
 *
 * <p>The requests go to a port of their own, on the example rules, with counters of their own that are then thrown away.
 */
public final class WarmUp {
    private static final Duration MAX_TIME = Duration.ofSeconds(2);
    /** The first load the classes. More would only make the compiler work while the server starts. */
    private static final int ROUNDS = 5;

    private static final List<byte[]> REQUESTS = List.of(
            head("GET /v1/check?ip=203.0.113.9&path=/login&method=POST HTTP/1.1"),
            head(
                    "GET /nginx HTTP/1.1",
                    "X-Original-URI: /login",
                    "X-Original-Method: POST",
                    "X-Original-Host: localhost",
                    "X-Real-IP: 203.0.113.8"));

    private static @Nullable CompletableFuture<Boolean> begun;

    private WarmUp() {}

    /**
     * Begins on a thread of its own, once in a process: what is loaded stays loaded.
     *
     * @return whether it succeeded; if not, the server works all the same, only slower at first
     */
    public static synchronized CompletableFuture<Boolean> begin() {
        CompletableFuture<Boolean> result = begun;
        if (result == null) {
            result = CompletableFuture.supplyAsync(WarmUp::run, WarmUp::onItsOwnThread);
            begun = result;
        }
        return result;
    }

    private static void onItsOwnThread(Runnable task) {
        Thread thread = new Thread(task, "warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Takes a fraction of a second, and two seconds at most.
     *
     * @return whether it succeeded
     */
    static boolean run() {
        ServerLog.begin();
        try (Ports ports = new Ports(Bounds.DEFAULTS);
                Store store = Store.local()) {
            RuleEngine engine = new RuleEngine(store, RuleFile.example());
            int port = ports.listen(
                    1,
                    new ServerSettings.Address(ServerSettings.Address.LOOPBACK, 0),
                    null,
                    "",
                    () -> new DataPort(
                            ports.vertx(),
                            engine,
                            Bounds.DEFAULTS,
                            new BodyBudget(Bounds.DEFAULTS),
                            () -> true,
                            CheckListener.NONE,
                            null,
                            HeaderFields.STANDARD,
                            request -> request.response().end()));
            send(port);
            return true;
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }

    private static void send(int port) throws IOException {
        long began = System.nanoTime();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) MAX_TIME.toMillis());
            for (int i = 0; i < ROUNDS && System.nanoTime() - began < MAX_TIME.toNanos(); i++) {
                for (byte[] request : REQUESTS) {
                    socket.getOutputStream().write(request);
                    readResponse(socket.getInputStream());
                }
            }
        }
    }

    /** Reads a response or a part of one; the rest is read with the next. */
    private static void readResponse(InputStream in) throws IOException {
        if (in.read(new byte[4096]) < 0) {
            throw new IOException("the connection was closed");
        }
    }

    private static byte[] head(String... lines) {
        return (String.join("\r\n", lines) + "\r\nHost: localhost\r\n\r\n").getBytes(US_ASCII);
    }
}
