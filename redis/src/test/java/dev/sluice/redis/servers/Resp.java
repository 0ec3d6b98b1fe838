package dev.sluice.redis.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection to a server on this machine, and one command at a time on it. */
final class Resp implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 5_000;

    private final Socket socket = new Socket();
    private final InputStream in;

    Resp(int port) throws IOException {
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** A String, a Long, a List of such, or null for nil. */
    @Nullable
    Object ask(String... words) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + words.length + "\r\n").getBytes(UTF_8));
        for (String word : words) {
            byte[] bytes = word.getBytes(UTF_8);
            out.writeBytes(("$" + bytes.length + "\r\n").getBytes(UTF_8));
            out.writeBytes(bytes);
            out.writeBytes("\r\n".getBytes(UTF_8));
        }
        socket.getOutputStream().write(out.toByteArray());
        return reply();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private @Nullable Object reply() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case ':' -> Long.valueOf(rest);
            case '$' -> text(Integer.parseInt(rest));
            case '*' -> list(Integer.parseInt(rest));
            case '-' -> throw new RedisServer.ErrorReply(rest);
            default -> throw new IOException("not a reply: " + line);
        };
    }

    private @Nullable String text(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the server closed the connection within a reply");
        }
        line();
        return new String(bytes, UTF_8);
    }

    private @Nullable List<@Nullable Object> list(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> list = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            list.add(reply());
        }
        return list;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            line.write(c);
        }
        in.read(); // the line feed
        return line.toString(UTF_8);
    }
}
