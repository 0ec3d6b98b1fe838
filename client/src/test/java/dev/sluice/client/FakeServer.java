package dev.sluice.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on a real socket that answers each request with the bytes that a test wants, or not at all. */
final class FakeServer implements Closeable {
    /** What happens when a request has been read. */
    interface Answer {
        void to(String request, Socket socket) throws IOException;
    }

    static final String ALLOWED = "{\"allowed\":true,\"rule\":\"r\",\"limit\":5,\"remaining\":4,\"retryAfterMs\":0,"
            + "\"resetAfterMs\":60000,\"limits\":[]}";
    static final String DENIED = "{\"type\":\"t\",\"status\":429,\"allowed\":false,\"rule\":\"r\",\"limit\":5,"
            + "\"remaining\":0,\"retryAfterMs\":1500,\"resetAfterMs\":null,\"limits\":[]}";

    private final ServerSocket listener;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    /** All requests so far, each with its head and its body. */
    final List<String> requests = new CopyOnWriteArrayList<>();
    /** Connections that the client has closed. */
    final AtomicInteger hungUp = new AtomicInteger();

    final AtomicInteger connections = new AtomicInteger();
    private volatile Answer answer;

    FakeServer(Answer answer) {
        this.answer = answer;
        try {
            this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("fake-server", this::accept);
    }

    void answer(Answer other) {
        answer = other;
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /** An answer with a status and a body. */
    static Answer reply(int status, String body) {
        return (request, socket) -> write(socket, http(status, body));
    }

    static String http(int status, String body) {
        return "HTTP/1.1 " + status + " Status\r\nContent-Length: " + body.getBytes(UTF_8).length + "\r\n\r\n" + body;
    }

    static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(UTF_8));
        socket.getOutputStream().flush();
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                connections.incrementAndGet();
                open.add(socket);
                start("fake-connection", () -> serve(socket));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            while (true) {
                String request = read(in);
                requests.add(request);
                answer.to(request, socket);
            }
        } catch (IOException e) {
            hungUp.incrementAndGet();
        } finally {
            open.remove(socket);
        }
    }

    /** Reads what comes and says nothing, until the client hangs up. */
    static final Answer SILENT = (request, socket) -> {
        if (socket.getInputStream().read() < 0) {
            throw new IOException("the client hung up");
        }
    };

    private static String read(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the client hung up");
            }
            head.append((char) next);
        }
        int length = 0;
        for (String line : head.toString().toLowerCase(Locale.ROOT).split("\r\n", -1)) {
            if (line.startsWith("content-length:")) {
                length = Integer.parseInt(
                        line.substring("content-length:".length()).trim());
            }
        }
        return head + new String(in.readNBytes(length), UTF_8);
    }

    /** As if the machine were gone: nothing listens, and all connections are closed. */
    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
