package dev.sluice.bench.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;

/** One request on a connection of its own, to see what a server answers. */
final class Probe {
    private static final int PATIENCE_MILLIS = 20_000;

    private Probe() {}

    /** All that came back. */
    record Response(String text) {
        boolean isSuccess() {
            return text.startsWith("HTTP/1.1 2");
        }

        String requireSuccess(String what) {
            if (!isSuccess()) {
                throw new IllegalStateException(what + " was answered with: " + text);
            }
            return text;
        }
    }

    static Response get(int port, String path, String... fields) {
        return send(port, "GET " + path, List.of(fields), "");
    }

    static Response post(int port, String path, String body) {
        return send(port, "POST " + path, List.of("Content-Length: " + body.length()), body);
    }

    private static Response send(int port, String what, List<String> fields, String body) {
        StringBuilder request = new StringBuilder(what).append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        fields.forEach(field -> request.append(field).append("\r\n"));
        request.append("\r\n").append(body);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(request.toString().getBytes(ISO_8859_1));
            return new Response(new String(socket.getInputStream().readAllBytes(), ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException(what + " on port " + port + " failed", e);
        }
    }
}
