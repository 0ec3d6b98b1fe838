package dev.sluice.spring.web;

import dev.sluice.spring.RunningApp;
import dev.sluice.spring.WebServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Wrong passwords on other servers than the usual ones. */
@Tag("full")
class WrongPasswordsOnServersTest {
    private abstract static class OnServer extends WrongPasswordsContract {
        private final Stack stack;
        private final WebServer server;

        OnServer(Stack stack, WebServer server) {
            super(stack);
            this.stack = stack;
            this.server = server;
        }

        @Override
        String store() {
            return "memory";
        }

        /** Undertow has 8 threads for each processor: fewer than requests that wait here, and none is left to end others. */
        @Override
        RunningApp start() {
            List<String> properties = new ArrayList<>(List.of(properties(store())));
            properties.add("server.undertow.threads.worker=256");
            return stack.startOn(server, List.of(LoginApp.class), properties.toArray(String[]::new));
        }
    }

    @Nested
    class OnJetty extends OnServer {
        OnJetty() {
            super(Stack.SERVLET, WebServer.JETTY);
        }
    }

    @Nested
    class OnUndertow extends OnServer {
        OnUndertow() {
            super(Stack.SERVLET, WebServer.UNDERTOW);
        }
    }

    @Nested
    class WebFluxOnTomcat extends OnServer {
        WebFluxOnTomcat() {
            super(Stack.WEBFLUX, WebServer.TOMCAT);
        }
    }

    @Nested
    class WebFluxOnJetty extends OnServer {
        WebFluxOnJetty() {
            super(Stack.WEBFLUX, WebServer.JETTY);
        }
    }

    @Nested
    class WebFluxOnUndertow extends OnServer {
        WebFluxOnUndertow() {
            super(Stack.WEBFLUX, WebServer.UNDERTOW);
        }
    }
}
