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

/** A response whose status is judged before the first of it leaves. */
final class SettlingResponseWrapper extends HttpServletResponseWrapper {
    private final RequestCharge settlement;
    private @Nullable PrintWriter writer;

    SettlingResponseWrapper(HttpServletResponse response, RequestCharge settlement) {
        super(response);
        this.settlement = settlement;
    }

    private void judge(int status) {
        settlement.judge(status).join();
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

    /** Passes on what was written to the writer and not flushed. */
    void finish() {
        if (writer != null) {
            writer.flush();
        }
    }

    @Override
    public void flushBuffer() throws IOException {
        finish();
        judge(getStatus());
        super.flushBuffer();
    }

    @Override
    public void sendError(int status) throws IOException {
        judge(status);
        super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        judge(status);
        super.sendError(status, message);
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        judge(SC_FOUND);
        super.sendRedirect(location);
    }

    private final class Output extends ServletOutputStream {
        private final ServletOutputStream out;

        Output(ServletOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            judge(getStatus());
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            judge(getStatus());
            out.write(bytes, from, count);
        }

        @Override
        public void flush() throws IOException {
            judge(getStatus());
            out.flush();
        }

        @Override
        public void close() throws IOException {
            judge(getStatus());
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
