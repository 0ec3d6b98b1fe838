package dev.sluice.spring.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests as no client library would send them. */
final class RawHttp {
    private static final String LOOPBACK = "127.0.0.1";

    private RawHttp() {}

    /** The first line of the response; empty if the server closed the connection without one. */
    static String statusLine(String url, String method, String target, String... headers) {
        return statusLineFrom(LOOPBACK, url, method, target, headers);
    }

    /** The same for a client at another address of this machine. */
    static String statusLineFrom(String address, String url, String method, String target, String... headers) {
        try (Socket socket = open(address, url)) {
            write(socket, method, target, headers);
            String answer = new String(socket.getInputStream().readNBytes(512), StandardCharsets.ISO_8859_1);
            return answer.lines().findFirst().orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    /** Sends a request and does not wait for the response. The caller closes the connection. */
    static Socket send(String url, String method, String target, String... headers) {
        try {
            Socket socket = open(LOOPBACK, url);
            write(socket, method, target, headers);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Socket open(String address, String url) throws IOException {
        int port = URI.create(url).getPort();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(address), 0);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void write(Socket socket, String method, String target, String... headers) throws IOException {
        List<String> lines = new ArrayList<>(List.of(method + " " + target + " HTTP/1.1", "Host: localhost"));
        for (int i = 0; i < headers.length; i += 2) {
            lines.add(headers[i] + ": " + headers[i + 1]);
        }
        lines.addAll(List.of("Content-Length: 0", "Connection: close", "", ""));
        socket.getOutputStream().write(String.join("\r\n", lines).getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }
}
