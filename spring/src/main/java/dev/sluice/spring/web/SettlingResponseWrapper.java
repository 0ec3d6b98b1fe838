package dev.sluice.spring.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/** A response that settles the charge of its request by its status, before the first byte leaves. */
final class SettlingResponseWrapper extends HttpServletResponseWrapper {
    private final RequestCharge charge;
    private @Nullable PrintWriter writer;

    SettlingResponseWrapper(HttpServletResponse response, RequestCharge charge) {
        super(response);
        this.charge = charge;
    }

    private void settle(int status) {
        charge.settle(status).join();
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        return new Output(super.getOutputStream());
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            Charset charset = Charset.forName(getCharacterEncoding());
            setCharacterEncoding(charset.name());
            writer = new PrintWriter(new OutputStreamWriter(getOutputStream(), charset));
        }
        return writer;
    }

    /** The application has written all of the response: settles by the status that it has now. */
    void end() {
        flushWriter();
        settle(getStatus());
    }

    /** Passes on text that the writer still buffers. */
    private void flushWriter() {
        if (writer != null) {
            writer.flush();
        }
    }

    /** Drops text that the writer still buffers, too. */
    @Override
    public void reset() {
        writer = null;
        super.reset();
    }

    @Override
    public void flushBuffer() throws IOException {
        flushWriter();
        settle(getStatus());
        super.flushBuffer();
    }

    @Override
    public void sendError(int status) throws IOException {
        settle(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        settle(status);
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        settle(SC_FOUND);
        super.sendRedirect(location);
    }

    private final class Output extends ServletOutputStream {
        private final ServletOutputStream out;

        Output(ServletOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            settle(getStatus());
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            settle(getStatus());
            out.write(bytes, from, count);
        }

        @Override
        public void flush() throws IOException {
            settle(getStatus());
            out.flush();
        }

        @Override
        public void close() throws IOException {
            settle(getStatus());
            out.close();
        }

        @Override
        public boolean isReady() {
            return out.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            out.setWriteListener(listener);
        }
    }
}
