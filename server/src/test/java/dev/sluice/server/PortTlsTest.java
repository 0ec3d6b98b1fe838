package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.tls.PortTls;
import dev.sluice.server.tls.TlsFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates that cannot be used yet are tried again. */
class PortTlsTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private Pki pki;
    private PortTls tls;
    private final Watcher watcher = new Watcher("tls");

    @BeforeEach
    void open() throws Exception {
        pki = new Pki(folder);
        pki.authority("ca");
        pki.issue("one", "ca");
        pki.issue("two", "ca");
        pki.replace("tls.crt", "one.crt");
        pki.replace("tls.key", "one.key");
        tls = PortTls.open(
                "data",
                new TlsFiles("--tls-", pki.file("tls.crt"), pki.file("tls.key"), null, null),
                Duration.ofSeconds(10));
    }

    @AfterEach
    void close() {
        watcher.close();
    }

    /** The certificate is there, then half of the key, then all of it; each for longer than a look takes to settle. */
    @Test
    void aPairThatIsWrittenSlowly() throws Exception {
        AtomicInteger updates = new AtomicInteger();
        tls.watch(watcher, options -> updates.incrementAndGet());
        pki.replace("tls.crt", "two.crt");
        Eventually.holds("a key that does not fit", SOON, tls::isBad);
        String key = Files.readString(pki.file("two.key"));
        Files.writeString(pki.file("tls.key"), key.substring(0, key.length() / 2));
        long failures = watcher.failures();
        Eventually.holds("half a key", SOON, () -> watcher.failures() > failures + 2);
        assertThat(updates).hasValue(0);
        Files.writeString(pki.file("tls.key"), key);
        Eventually.holds("the pair is in use", SOON, () -> updates.get() == 1 && !tls.isBad());
    }

    @Test
    void aPortThatCouldNotTakeIt() throws Exception {
        AtomicInteger updates = new AtomicInteger();
        tls.watch(watcher, options -> {
            if (updates.incrementAndGet() < 3) {
                throw new CompletionException(new IllegalStateException("not now"));
            }
        });
        pki.replace("tls.key", "two.key");
        pki.replace("tls.crt", "two.crt");
        Eventually.holds("it is in use", SOON, () -> updates.get() == 3 && !tls.isBad());
    }
}
