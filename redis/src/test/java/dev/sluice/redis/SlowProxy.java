package dev.sluice.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A server in front of Redis that passes each reply on after a while. */
final class SlowProxy implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final int redisPort;
    private final long delayMillis;

    SlowProxy(int redisPort, long delayMillis) throws IOException {
        this.redisPort = redisPort;
        this.delayMillis = delayMillis;
        threads.execute(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Socket redis = new Socket(InetAddress.getLoopbackAddress(), redisPort);
                threads.execute(() -> copy(client, redis, 0));
                threads.execute(() -> copy(redis, client, delayMillis));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void copy(Socket from, Socket to, long delay) {
        byte[] buffer = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                byte[] bytes = Arrays.copyOf(buffer, length);
                if (delay == 0) {
                    out.write(bytes);
                } else {
                    timer.schedule(() -> write(out, bytes), delay, TimeUnit.MILLISECONDS);
                }
            }
        } catch (IOException e) {
            // one of the two has closed the connection
        }
    }

    private static void write(OutputStream out, byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            // the client has gone
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        threads.shutdownNow();
        timer.shutdownNow();
    }
}
