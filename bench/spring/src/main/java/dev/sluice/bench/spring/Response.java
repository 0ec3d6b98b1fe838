package dev.sluice.bench.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import org.springframework.mock.web.MockHttpServletResponse;

/** Spring's own, but for the body, which it would take byte by byte, as no server does. */
final class Response extends MockHttpServletResponse {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream(1024);

    @Override
    public ServletOutputStream getOutputStream() {
        return new ServletOutputStream() {
            @Override
            public void write(int b) {
                body.write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                body.write(bytes, offset, length);
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {
                throw new UnsupportedOperationException();
            }
        };
    }

    String body() {
        return body.toString(UTF_8);
    }
}
