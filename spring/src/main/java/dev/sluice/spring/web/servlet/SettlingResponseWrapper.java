package dev.sluice.spring.web.servlet;

import dev.sluice.spring.web.RequestCharge;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A response that settles the charge of its request by its status, before the first byte leaves.
 *
 * <p>Until then the application may change the status, also after it has written something: the container keeps what is
 * written in a buffer. So the charge is settled when the buffer is about to be full, when it is flushed, and when the
 * response is complete: with as many bytes as {@code Content-Length} says, or by a redirect. Some containers send it then,
 * before the application returns. Jetty sends a large write at once, even if the buffer has room for it. After {@code
 * sendError} it is not settled here, because the error page has the last word.
 *
 * <p>What an included resource does to the head of the response, the container ignores, and so does this.
 */
final class SettlingResponseWrapper extends HttpServletResponseWrapper {
    /** How much of one write every container keeps, unless a quarter of the buffer is more. */
    private static final int MAX_KEPT = 8192;

    private static final String CONTENT_LENGTH = "Content-Length";

    /** The redirect that all others of Servlet 6.1 lead to; null in an older container. */
    private static final @Nullable MethodHandle REDIRECT = redirect();

    private final RequestCharge charge;
    /** Knows whether a resource is being included; null before the request is wrapped. */
    private @Nullable ServletRequest request;

    private @Nullable PrintWriter writer;
    private @Nullable ServletOutputStream output;
    private long buffered;
    /** How many bytes complete the response. */
    private long contentLength = Long.MAX_VALUE;

    private boolean settled;
    private boolean error;

    SettlingResponseWrapper(HttpServletResponse response, RequestCharge charge) {
        super(response);
        this.charge = charge;
    }

    private static @Nullable MethodHandle redirect() {
        MethodType type = MethodType.methodType(void.class, String.class, int.class, boolean.class);
        try {
            return MethodHandles.publicLookup().findVirtual(HttpServletResponse.class, "sendRedirect", type);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    RequestCharge charge() {
        return charge;
    }

    /** The request as the application sees it: Tomcat tells of an include below it alone. */
    void isFor(ServletRequest wrapped) {
        this.request = wrapped;
    }

    /** Whether what is written to a response comes here. */
    boolean isWithin(ServletResponse response) {
        return response == this || (response instanceof ServletResponseWrapper outer && outer.isWrapperFor(this));
    }

    private boolean isIncluded() {
        return request != null && request.getAttribute(RequestDispatcher.INCLUDE_REQUEST_URI) != null;
    }

    /** Whether the response is left to an error page. */
    boolean isError() {
        return error;
    }

    /** Settles by the status that the response has now. */
    void settle() {
        settle(getStatus());
    }

    private void settle(int status) {
        if (!settled && !error) {
            charge.settle(status).join();
            settled = true;
        }
    }

    /** Settles if so many bytes more may fill the buffer or complete the response. */
    private void adding(long bytes) {
        if (settled) {
            return;
        }
        buffered += bytes;
        int size = getBufferSize();
        if (bytes > Math.max(MAX_KEPT, size / 4) || buffered >= Math.min(size, contentLength)) {
            settle();
        }
    }

    /** Settles if the container has sent what it has, for reasons of its own. */
    private void added() {
        if (!settled && isCommitted()) {
            settle();
        }
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (output == null) {
            output = new Output(super.getOutputStream());
        }
        return output;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            PrintWriter text = super.getWriter();
            writer = new Text(text, Charset.forName(getCharacterEncoding()));
        }
        return writer;
    }

    @Override
    public void reset() {
        super.reset();
        if (isIncluded()) {
            return;
        }
        buffered = 0;
        contentLength = Long.MAX_VALUE;
        writer = null;
        output = null;
        error = false;
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        buffered = 0;
    }

    @Override
    public void flushBuffer() throws IOException {
        settle();
        super.flushBuffer();
    }

    @Override
    public void sendError(int status) throws IOException {
        super.sendError(status);
        error |= !isIncluded();
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        super.sendError(status, message);
        error |= !isIncluded();
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        redirecting(SC_FOUND);
        super.sendRedirect(location);
    }

    /** Of Servlet 6.1, as the next two are. */
    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (REDIRECT == null) {
            throw new UnsupportedOperationException("a redirect with a status, or with a body, is of Servlet 6.1");
        }
        redirecting(status);
        try {
            REDIRECT.invoke((HttpServletResponse) getResponse(), location, status, clearBuffer);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // it declares no other
        }
    }

    private void redirecting(int status) {
        if (!isIncluded()) {
            settle(status);
        }
    }

    @Override
    public void setContentLength(int length) {
        expect(length);
        super.setContentLength(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        expect(length);
        super.setContentLengthLong(length);
    }

    @Override
    public void setHeader(String name, String value) {
        expect(name, value);
        super.setHeader(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        expect(name, value);
        super.addHeader(name, value);
    }

    @Override
    public void setIntHeader(String name, int value) {
        expect(name, Integer.toString(value));
        super.setIntHeader(name, value);
    }

    @Override
    public void addIntHeader(String name, int value) {
        expect(name, Integer.toString(value));
        super.addIntHeader(name, value);
    }

    private void expect(String name, @Nullable String value) {
        if (CONTENT_LENGTH.equalsIgnoreCase(name)) {
            try {
                expect(value == null ? Long.MAX_VALUE : Long.parseLong(value.trim()));
            } catch (NumberFormatException e) {
                expect(Long.MAX_VALUE); // the container sends no such header
            }
        }
    }

    /**
     * An empty response can still be filled: some containers take 0 for not known yet. But a write of no bytes completes it:
     * Tomcat sends it then.
     */
    private void expect(long length) {
        if (isIncluded()) {
            return;
        }
        contentLength = length >= 0 ? length : Long.MAX_VALUE;
        if (length > 0 && buffered >= length) {
            settle(); // Jetty sends what is complete
        }
    }

    private final class Output extends ServletOutputStream {
        private final ServletOutputStream out;

        Output(ServletOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            adding(1);
            out.write(b);
            added();
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            adding(count);
            out.write(bytes, from, count);
            added();
        }

        @Override
        public void flush() throws IOException {
            settle();
            out.flush();
        }

        @Override
        public void close() throws IOException {
            settle();
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

    private final class Text extends PrintWriter {
        private final boolean utf8;
        private final int maxBytes;

        Text(PrintWriter out, Charset charset) {
            super(out);
            this.utf8 = charset.equals(StandardCharsets.UTF_8);
            this.maxBytes = (int) Math.ceil(charset.newEncoder().maxBytesPerChar());
        }

        /** How many bytes a character takes, at most. */
        private int bytes(char c) {
            if (!utf8) {
                return maxBytes;
            }
            if (c < 0x80) {
                return 1;
            }
            return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }

        private void adding(CharSequence text) {
            if (!settled) {
                SettlingResponseWrapper.this.adding(
                        text.chars().mapToLong(c -> bytes((char) c)).sum());
            }
        }

        @Override
        public void write(int c) {
            SettlingResponseWrapper.this.adding(bytes((char) c));
            super.write(c);
            added();
        }

        @Override
        public void write(char[] text, int from, int count) {
            adding(CharBuffer.wrap(text, from, count));
            super.write(text, from, count);
            added();
        }

        @Override
        public void write(String text, int from, int count) {
            adding(CharBuffer.wrap(text, from, from + count));
            super.write(text, from, count);
            added();
        }

        @Override
        public void println() {
            write(System.lineSeparator());
        }

        @Override
        public void flush() {
            settle();
            super.flush();
        }

        @Override
        public void close() {
            settle();
            super.close();
        }
    }
}
