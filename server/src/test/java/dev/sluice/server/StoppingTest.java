package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.servers.Eventually;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A server that stops finishes what is under way, and does not wait for ever. */
class StoppingTest {
    private static final String RULES = """
            rules:
              - name: paced
                limits: [1 per 1s token-bucket]
                on-exceed: wait up to 1m
            """;

    @Test
    void whatIsUnderWayIsFinished() throws Exception {
        Service service = Service.with(RULES);
        assertThat(service.get("/v1/check").statusCode()).isEqualTo(200);
        try (Socket idle = service.connect()) {
            Service.write(idle, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
            CompletableFuture<HttpResponse<String>> waiting = service.getLater("/v1/check");
            Thread.sleep(200);
            assertThat(waiting).isNotDone();
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(service::close);
            Eventually.holds("nobody else is let in", Duration.ofSeconds(5), () -> {
                try (Socket late = service.connect()) {
                    return !late.isConnected();
                } catch (IOException refused) {
                    return true;
                }
            });
            assertThat(Service.rest(idle)).contains("200 OK");
            assertThat(waiting.join().statusCode()).isEqualTo(200);
            stopped.join();
        }
    }

    @Test
    void whatTakesTooLongIsCutOff() throws Exception {
        Service service = new Service(Service.settings(RULES).grace(Duration.ofMillis(300)));
        service.get("/v1/check?cost=1");
        service.getLater("/v1/check");
        service.getLater("/v1/check");
        CompletableFuture<HttpResponse<String>> waiting = service.getLater("/v1/check");
        Thread.sleep(200);
        assertThat(waiting).isNotDone();
        service.close();
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(IOException.class);
    }
}
