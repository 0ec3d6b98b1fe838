package dev.sluice.spring.web;

import dev.sluice.spring.WebServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Servers differ in when they send a response, and when they dispatch an error page. */
@Tag("full")
class ServletDispatchTest {
    @Nested
    class OnTomcat extends ServletDispatchContract {
        OnTomcat() {
            super(WebServer.TOMCAT);
        }
    }

    @Nested
    class OnJetty extends ServletDispatchContract {
        OnJetty() {
            super(WebServer.JETTY);
        }
    }

    @Nested
    class OnUndertow extends ServletDispatchContract {
        OnUndertow() {
            super(WebServer.UNDERTOW);
        }
    }
}
