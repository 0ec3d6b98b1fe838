package dev.sluice.server.envoy;

import dev.sluice.server.ruleset.WatchedContent;
import dev.sluice.server.ruleset.Watcher;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A folder of files in the format of envoyproxy/ratelimit, looked at once a second: what is new and right takes effect,
 * what is wrong changes nothing and is told in the log. A change is taken when it is the same at the next look: somebody
 * may be in the middle of writing.
 */
public final class EnvoyFolder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EnvoyFolder.class.getName());
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Path directory;
    private final EnvoyConfig config;
    private final WatchedContent<EnvoyConfig.Texts> content;
    private final Watcher watcher = new Watcher("envoy-config");

    private EnvoyFolder(Path directory, EnvoyConfig.Texts texts, EnvoyConfig config) {
        this.directory = directory;
        this.content = new WatchedContent<>(texts);
        this.config = config;
    }

    /**
     * Reads what is in it.
     *
     * @throws EnvoyConfigException if any of its files cannot be used, or there is none
     */
    public static EnvoyFolder open(Path directory) throws EnvoyConfigException {
        EnvoyConfig.Texts texts = EnvoyConfig.texts(directory);
        return new EnvoyFolder(directory, texts, EnvoyConfig.parse(texts));
    }

    /** What was in it when it was opened. */
    public EnvoyConfig config() {
        return config;
    }

    /** Watches the folder; counts what could not be read or used. */
    public Watcher watcher() {
        return watcher;
    }

    /** From now on these limits are those of the folder. */
    public void watch(EnvoyLimits limits) {
        watcher.repeat(PAUSE, () -> look(limits));
    }

    void look(EnvoyLimits limits) {
        content.read(EnvoyConfig.texts(directory)).ifPresent(texts -> apply(texts, limits));
    }

    private void apply(EnvoyConfig.Texts texts, EnvoyLimits limits) {
        try {
            limits.apply(EnvoyConfig.parse(texts));
            LOG.log(System.Logger.Level.INFO, "the limits for Envoys are those of {0} again", directory);
        } catch (EnvoyConfigException e) {
            watcher.failed();
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the limits for Envoys stay as they were: {0}",
                    String.join("; ", e.problems()));
        }
    }

    @Override
    public void close() {
        watcher.close();
    }
}
