package dev.sluice.spring.method;

import dev.sluice.spring.WebServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Servers differ in when they notice that a client is gone, and whom they tell. */
class DeferredResponseTest {
    @Nested
    class OnTomcat extends DeferredResponseContract {
        OnTomcat() {
            super(WebServer.TOMCAT);
        }
    }

    @Nested
    @Tag("full")
    class OnJetty extends DeferredResponseContract {
        OnJetty() {
            super(WebServer.JETTY);
        }
    }

    @Nested
    @Tag("slow")
    class OnUndertow extends DeferredResponseContract {
        OnUndertow() {
            super(WebServer.UNDERTOW);
        }
    }
}
