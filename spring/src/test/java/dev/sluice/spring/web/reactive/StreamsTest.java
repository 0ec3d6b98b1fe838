package dev.sluice.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.server.WebSocketService;
import org.springframework.web.reactive.socket.server.support.HandshakeWebSocketService;
import org.springframework.web.reactive.socket.server.upgrade.ReactorNettyRequestUpgradeStrategy;

/** What Netty sends by itself, files and web sockets, it sends for responses that are watched, too. */
@Tag("slow")
class StreamsTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App implements WebFluxConfigurer {
        /** With Tomcat beside Netty, Spring would take Tomcat's. */
        @Override
        public WebSocketService getWebSocketService() {
            return new HandshakeWebSocketService(new ReactorNettyRequestUpgradeStrategy());
        }

        @Bean
        SecurityWebFilterChain open(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }

        @Bean
        HandlerMapping echo() {
            WebSocketHandler echo = session ->
                    session.send(session.receive().map(message -> session.textMessage(message.getPayloadAsText())));
            return new SimpleUrlHandlerMapping(Map.of("/echo", echo), -1);
        }
    }

    private static final class First implements WebSocket.Listener {
        private final CompletableFuture<String> text = new CompletableFuture<>();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.complete(data.toString());
            return null;
        }
    }

    @Test
    void filesAndWebSockets(@TempDir Path files) throws Exception {
        String text = "all of it ".repeat(100_000);
        Files.writeString(files.resolve("file.txt"), text);
        try (RunningApp app = RunningApp.start(
                WebApplicationType.REACTIVE,
                List.of(App.class),
                "sluice.store=memory",
                "sluice.rules[0].name=held",
                "sluice.rules[0].limits[0]=2 at once",
                "spring.web.resources.static-locations=" + files.toUri())) {
            for (int i = 0; i < 3; i++) {
                assertThat(app.get("/file.txt").body()).isEqualTo(text);
            }
            assertThat(app.send("HEAD", "/file.txt").statusCode()).isEqualTo(200);
            First first = new First();
            WebSocket socket = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(URI.create(app.url("/echo").replace("http:", "ws:")), first)
                    .get(30, TimeUnit.SECONDS);
            socket.sendText("hello", true);
            assertThat(first.text.get(30, TimeUnit.SECONDS)).isEqualTo("hello");
            socket.abort();
        }
    }
}
