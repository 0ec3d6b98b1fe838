package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.web.Bounds;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that nobody uses do not stay open. */
@Timeout(60)
class IdleConnectionsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(600);
    private static final String HTTP_1 = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String HTTP_2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"; // and its settings

    private final Service service =
            new Service(Service.settings("rules: []").bounds(Bounds.DEFAULTS.withIdleTimeout(TIMEOUT)));

    @AfterEach
    void stop() {
        service.close();
    }

    /** Over HTTP/1.1 before and after a request, and over HTTP/2. */
    @ParameterizedTest
    @ValueSource(strings = {"", HTTP_1, HTTP_2})
    void areClosed(String first) throws Exception {
        try (Socket socket = service.connect()) {
            Service.write(socket, first);
            String answer = Service.rest(socket); // until the connection is closed
            assertThat(answer.isEmpty()).isEqualTo(first.isEmpty());
        }
    }
}
