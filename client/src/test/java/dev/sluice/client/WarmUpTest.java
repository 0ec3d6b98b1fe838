package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first client of a JVM has made one check before its first. */
@Timeout(60)
class WarmUpTest {
    @Test
    void aCheckOfItsOwnIsAnswered() {
        boolean isWarm = WarmUp.await();
        for (int i = 0; i < 20 && !isWarm; i++) { // a second each, on a machine that is busy
            isWarm = WarmUp.await();
        }
        assertThat(isWarm).isTrue();
    }

    @Test
    void connectHasWaitedForItAndSentNothing() {
        try (FakeServer server = new FakeServer(FakeServer.reply(200, FakeServer.ALLOWED));
                SluiceClient client = SluiceClient.connect(server.url())) {
            assertThat(client).isNotNull();
            assertThat(Thread.getAllStackTraces().keySet())
                    .as("of any client so far")
                    .anyMatch(thread -> thread.getName().startsWith("sluice-client-"));
            assertThat(server.connections).hasValue(0);
        }
    }
}
