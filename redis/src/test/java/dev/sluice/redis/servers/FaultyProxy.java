package dev.sluice.redis.servers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A port on loopback that leads to a real server, and can deliver replies late, replace them, go silent, break connections
 * and lead to another server.
 */
public final class FaultyProxy implements AutoCloseable {
    private static final int CHUNK = 64 * 1024;

    /** Bytes from the server, and when they are due at the client. */
    private static final class Chunk {
        private final byte[] bytes;
        private final long dueNanos;

        Chunk(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }
    }

    /** One client, with a connection of its own to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server;
        private final BlockingQueue<Chunk> replies = new LinkedBlockingQueue<>();
        private volatile boolean silent;

        Link(Socket client, int port) throws IOException {
            this.client = client;
            this.server = new Socket(InetAddress.getLoopbackAddress(), port);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        }

        void begin() {
            thread(() -> pump(client, bytes -> write(server, bytes)));
            thread(() -> pump(server, bytes -> replies.add(new Chunk(bytes, System.nanoTime() + delayOf(bytes)))));
            thread(this::deliver);
        }

        private void deliver() {
            try {
                while (!client.isClosed()) {
                    Chunk next = replies.poll(100, TimeUnit.MILLISECONDS);
                    if (next != null) {
                        for (long left = next.dueNanos - System.nanoTime();
                                left > 0;
                                left = next.dueNanos - System.nanoTime()) {
                            LockSupport.parkNanos(left);
                        }
                        write(client, replace.apply(next.bytes));
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void pump(Socket from, Consumer<byte[]> to) {
            byte[] buffer = new byte[CHUNK];
            try {
                InputStream in = from.getInputStream();
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    byte[] bytes = Arrays.copyOf(buffer, count);
                    if (!silent) {
                        to.accept(bytes);
                    }
                }
            } catch (IOException e) {
                // closed
            }
            if (!silent) {
                close();
            }
        }

        private void write(Socket to, byte[] bytes) {
            try {
                OutputStream out = to.getOutputStream();
                out.write(bytes);
                out.flush();
            } catch (IOException e) {
                close();
            }
        }

        void close() {
            links.remove(this);
            for (Socket socket : new Socket[] {client, server}) {
                try {
                    socket.close();
                } catch (IOException e) {
                    // closed already
                }
            }
        }
    }

    private final ServerSocket listener;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile int target;
    private volatile Duration delay = Duration.ZERO;
    private volatile Duration delayOfTexts = Duration.ZERO;
    private volatile UnaryOperator<byte[]> replace = bytes -> bytes;

    private FaultyProxy(int target) {
        this.target = target;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen", e);
        }
        thread(this::accept);
    }

    /** A port that leads to a server. */
    public static FaultyProxy to(RedisServer server) {
        return new FaultyProxy(server.port());
    }

    /** A port that leads nowhere yet. */
    public static FaultyProxy toNobody() {
        return new FaultyProxy(0);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** {@code redis://127.0.0.1:port}. */
    public String url() {
        return "redis://127.0.0.1:" + port();
    }

    /** Leads new connections to another server; those that are open stay where they are. */
    public void leadTo(RedisServer server) {
        target = server.port();
    }

    /** Delivers every reply this much later. */
    public void delay(Duration delay) {
        this.delay = delay;
    }

    /** Delivers replies of scripts this much later, and others at once, as long as they do not come together. */
    public void delayTexts(Duration delay) {
        this.delayOfTexts = delay;
    }

    private long delayOf(byte[] reply) {
        return (isText(reply) ? delayOfTexts.plus(delay) : delay).toNanos();
    }

    /** Whether it begins with a text of bytes. */
    private static boolean isText(byte[] reply) {
        return reply.length > 0 && reply[0] == '$';
    }

    /** Delivers this in place of every reply that is a text of bytes, which is what scripts reply. */
    public void replaceTexts(String reply) {
        byte[] bytes = reply.getBytes(ISO_8859_1);
        replace = original -> isText(original) ? bytes : original;
    }

    /** Delivers this before every reply that is a text of bytes, so that requests and replies get out of step. */
    public void insertBeforeTexts(String reply) {
        byte[] bytes = reply.getBytes(ISO_8859_1);
        replace = original -> {
            if (!isText(original)) {
                return original;
            }
            byte[] both = Arrays.copyOf(bytes, bytes.length + original.length);
            System.arraycopy(original, 0, both, bytes.length, original.length);
            return both;
        };
    }

    /** Delivers replies as they are. */
    public void deliverAll() {
        delay = Duration.ZERO;
        delayOfTexts = Duration.ZERO;
        replace = bytes -> bytes;
    }

    /** Lets open connections go silent for good, as when a machine loses its power. New ones are well. */
    public void silence() {
        links.forEach(link -> link.silent = true);
    }

    /** Breaks open connections. */
    public void cut() {
        links.forEach(Link::close);
    }

    /** How many connections are open. */
    public int connections() {
        return links.size();
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            // closed already
        }
        cut();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                try {
                    Link link = new Link(client, target);
                    links.add(link);
                    link.begin();
                } catch (IOException e) {
                    client.close(); // nobody listens there
                }
            } catch (IOException e) {
                // closed
            }
        }
    }

    private static void thread(Runnable task) {
        Thread thread = new Thread(task, "faulty-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
