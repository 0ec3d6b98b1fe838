package dev.sluice.bench.soak;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** A connection to the server, on which anything can be sent. */
final class Connection implements AutoCloseable {
    private final Socket socket;

    Connection(int port) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
    }

    void send(String text) throws IOException {
        send(text.getBytes(ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void pause(int millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the soak is over");
        }
    }

    /** Reads what comes, until the server closes or nothing comes for a while. */
    void linger(int millis) throws IOException {
        socket.setSoTimeout(millis);
        byte[] buffer = new byte[8192];
        try {
            while (socket.getInputStream().read(buffer) >= 0) {
                // whatever it says
            }
        } catch (SocketTimeoutException e) {
            // it says nothing more
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
