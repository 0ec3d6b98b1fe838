package dev.sluice.server.tls;

import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.tls.TlsFiles.Contents;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * TLS of one port. Its files are read once a second. New ones that are right are used for the connections from then on;
 * wrong ones change nothing, and the log has the reason. A change counts when the files are the same one second later,
 * since somebody may be in the middle of writing. Files that are not in use are tried again every second, whatever was wrong
 * with them.
 */
public final class PortTls {
    private static final System.Logger LOG = System.getLogger(PortTls.class.getName());
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String port;
    private final TlsFiles files;
    private final Duration handshakeTimeout;
    private volatile Certificates current;
    private Contents inUse;
    private Contents seen;
    private volatile String problem = "";

    private PortTls(String port, TlsFiles files, Duration handshakeTimeout, Contents contents) {
        this.port = port;
        this.files = files;
        this.handshakeTimeout = handshakeTimeout;
        this.current = Certificates.parse(files, contents);
        this.inUse = contents;
        this.seen = contents;
    }

    /**
     * Reads the files.
     *
     * @param port the name of the port, for the log and the metrics
     * @param handshakeTimeout how long a client may take for its handshake
     * @throws TlsException if something is wrong with them
     */
    public static PortTls open(String port, TlsFiles files, Duration handshakeTimeout) {
        PortTls tls = new PortTls(port, files, handshakeTimeout, files.read());
        if (tls.current.expires().isBefore(Instant.now())) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the certificate of the {0} port expired at {1}",
                    port,
                    tls.current.expires());
        }
        return tls;
    }

    public String port() {
        return port;
    }

    /** When the certificate in use expires. */
    public Instant expires() {
        return current.expires();
    }

    /** Whether the newest files are wrong, so that older ones are in use. */
    public boolean isBad() {
        return !problem.isEmpty();
    }

    /** Makes a port that does not listen yet use the certificates. */
    public void apply(HttpServerOptions options) {
        apply(current, options);
    }

    private void apply(Certificates certificates, HttpServerOptions options) {
        certificates.apply(options);
        options.setSslHandshakeTimeout(handshakeTimeout.toMillis()).setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
    }

    /** Passes on new certificates from now on. */
    public void watch(Watcher watcher, Consumer<ServerSSLOptions> update) {
        watcher.repeat(PAUSE, () -> look(watcher, update));
    }

    private void look(Watcher watcher, Consumer<ServerSSLOptions> update) {
        try {
            Contents now = files.read();
            boolean settled = now.equals(seen);
            seen = now;
            if (now.equals(inUse)) {
                problem = "";
            } else if (settled) {
                renew(now, update);
            }
        } catch (TlsException | CompletionException e) {
            watcher.failed();
            String why = String.valueOf(e.getMessage());
            if (!why.equals(problem)) {
                LOG.log(System.Logger.Level.WARNING, "the {0} port keeps its certificate: {1}", port, why);
            }
            problem = why;
        } catch (RuntimeException e) {
            problem = e.toString();
            throw e; // the watcher logs and counts it
        }
    }

    private void renew(Contents contents, Consumer<ServerSSLOptions> update) {
        Certificates next = Certificates.parse(files, contents);
        if (next.expires().isBefore(Instant.now())) {
            throw files.problem("cert", files.certificate(), "the certificate expired at " + next.expires());
        }
        HttpServerOptions options = new HttpServerOptions();
        apply(next, options);
        update.accept(options.getSslOptions());
        current = next;
        inUse = contents;
        problem = "";
        LOG.log(
                System.Logger.Level.INFO,
                "the {0} port has a new certificate, which expires at {1}",
                port,
                next.expires());
    }
}
