package dev.sluice.bench.soak;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients that ask at a fixed rate, each on a connection that it keeps. A latency is counted from when the request was due,
 * so that a server that stands still is seen in all requests that it keeps waiting.
 */
final class GoodClients {
    private static final int CLIENTS = 8;
    private static final int PATIENCE_MILLIS = 10_000;

    /** What the clients saw. */
    record Seen(long asked, long answered, double seconds, long p50Micros, long p99Micros, long maxMicros) {
        double perSecond() {
            return answered / seconds;
        }
    }

    private GoodClients() {}

    /** Asks {@code perSecond} times in each second, all clients together. */
    static Seen ask(int port, int perSecond, Duration time) {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            long began = System.nanoTime();
            List<CompletableFuture<List<Long>>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                clients.add(CompletableFuture.supplyAsync(
                        () -> new Client(port, number).run(perSecond / CLIENTS, time), threads));
            }
            List<Long> latencies = new ArrayList<>();
            clients.forEach(client -> latencies.addAll(client.join()));
            return seen(latencies, (System.nanoTime() - began) / 1e9);
        } finally {
            threads.shutdownNow();
        }
    }

    /** A latency of -1 is a request without an answer. */
    private static Seen seen(List<Long> latencies, double seconds) {
        long[] micros = latencies.stream()
                .filter(each -> each >= 0)
                .mapToLong(each -> each / 1000)
                .toArray();
        Arrays.sort(micros);
        return new Seen(
                latencies.size(), micros.length, seconds, part(micros, 0.5), part(micros, 0.99), part(micros, 1));
    }

    private static long part(long[] sorted, double part) {
        return sorted.length == 0 ? -1 : sorted[(int) Math.min(sorted.length - 1, sorted.length * part)];
    }

    private static final class Client {
        private final int port;
        private final int number;
        private @Nullable Socket socket;

        Client(int port, int number) {
            this.port = port;
            this.number = number;
        }

        List<Long> run(int perSecond, Duration time) {
            List<Long> latencies = new ArrayList<>();
            long began = System.nanoTime();
            long requests = perSecond * time.toSeconds();
            for (long i = 0; i < requests; i++) {
                long due = began + i * 1_000_000_000L / perSecond;
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                latencies.add(answered(i) ? System.nanoTime() - due : -1);
            }
            close();
            return latencies;
        }

        private boolean answered(long request) {
            try {
                Socket open = socket == null ? connect() : socket;
                String body = "{\"attributes\":{\"path\":\"/good\",\"user\":\"" + number + "\"}}";
                String text = request % 2 == 0
                        ? "GET /v1/check?path=/good&user=" + number + " HTTP/1.1\r\nHost: x\r\n\r\n"
                        : "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
                open.getOutputStream().write(text.getBytes(ISO_8859_1));
                return status(open) == 200;
            } catch (IOException e) {
                close();
                return false;
            }
        }

        private Socket connect() throws IOException {
            Socket made = new Socket(InetAddress.getLoopbackAddress(), port);
            made.setSoTimeout(PATIENCE_MILLIS);
            made.setTcpNoDelay(true);
            socket = made;
            return made;
        }

        /** The status of a response, all of which has been read. */
        private static int status(Socket socket) throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            StringBuilder head = new StringBuilder();
            while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
                head.append((char) in.readUnsignedByte());
            }
            int length = Arrays.stream(head.toString().split("\r\n", -1))
                    .filter(line -> line.regionMatches(true, 0, "content-length:", 0, 15))
                    .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                    .findFirst()
                    .orElse(0);
            in.readFully(new byte[length]);
            return Integer.parseInt(head.substring(9, 12));
        }

        private void close() {
            try {
                if (socket != null) {
                    socket.close();
                }
            } catch (IOException e) {
                // as good as closed
            }
            socket = null;
        }
    }
}
