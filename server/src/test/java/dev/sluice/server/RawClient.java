package dev.sluice.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A connection over HTTP/1.1 on which requests are sent as text, and their responses are read one after another. */
final class RawClient implements AutoCloseable {
    /** A response as it came. */
    record Response(String statusLine, List<String> fields, String body) {
        int status() {
            return Integer.parseInt(statusLine.substring(9, 12));
        }

        /** The value of a field; empty if it is not there. */
        String field(String name) {
            return fields.stream()
                    .filter(each -> each.regionMatches(true, 0, name + ": ", 0, name.length() + 2))
                    .map(each -> each.substring(name.length() + 2))
                    .findFirst()
                    .orElse("");
        }
    }

    private final Socket socket;
    private final InputStream in;

    RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static RawClient of(Service service) throws IOException {
        return new RawClient(service.connect());
    }

    Socket socket() {
        return socket;
    }

    void send(String requests) throws IOException {
        Service.write(socket, requests);
    }

    /** The next response; null if the server has ended the connection. */
    @Nullable
    Response next() throws IOException {
        return next(true);
    }

    /** The next response to a HEAD. */
    @Nullable
    Response nextHead() throws IOException {
        return next(false);
    }

    private @Nullable Response next(boolean hasBody) throws IOException {
        String statusLine = line();
        if (statusLine == null) {
            return null;
        }
        List<String> fields = new ArrayList<>();
        int length = 0;
        for (String line = line(); line != null && !line.isEmpty(); line = line()) {
            fields.add(line);
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
                length = Integer.parseInt(line.substring(16));
            }
        }
        byte[] body = hasBody ? in.readNBytes(length) : new byte[0];
        if (hasBody && body.length < length) {
            throw new EOFException("the body ends after " + body.length + " of " + length + " bytes");
        }
        return new Response(statusLine, List.copyOf(fields), new String(body, UTF_8));
    }

    private @Nullable String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                if (line.length() > 0) {
                    throw new EOFException("in the line " + line);
                }
                return null;
            }
            line.append(new String(new byte[] {(byte) next}, ISO_8859_1));
        }
        return line.substring(0, line.length() - 1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
