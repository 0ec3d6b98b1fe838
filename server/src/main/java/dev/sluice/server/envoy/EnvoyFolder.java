package dev.sluice.server.envoy;

import dev.sluice.server.ruleset.WatchedContent;
import dev.sluice.server.ruleset.Watcher;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A folder of files in the format of envoyproxy/ratelimit, which is read once a second. A valid change takes effect; an
 * invalid one changes nothing, and the log has the reason. A change counts when the folder is the same one second later,
 * since somebody may be in the middle of writing.
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
     * Reads the files of a folder.
     *
     * @throws EnvoyConfigException if a file is invalid, or there is none
     */
    public static EnvoyFolder open(Path directory) throws EnvoyConfigException {
        EnvoyConfig.Texts texts = EnvoyConfig.texts(directory);
        return new EnvoyFolder(directory, texts, EnvoyConfig.parse(texts));
    }

    /** The limits of the folder when it was opened. */
    public EnvoyConfig config() {
        return config;
    }

    /** Watches the folder, and counts how often it could not be read or was invalid. */
    public Watcher watcher() {
        return watcher;
    }

    /** Applies every valid change of the folder to these limits from now on. */
    public void watch(EnvoyLimits limits) {
        watcher.repeat(PAUSE, () -> look(limits));
    }

    void look(EnvoyLimits limits) {
        content.read(EnvoyConfig.texts(directory)).ifPresent(texts -> apply(texts, limits));
    }

    private void apply(EnvoyConfig.Texts texts, EnvoyLimits limits) {
        try {
            limits.apply(EnvoyConfig.parse(texts));
            LOG.log(System.Logger.Level.INFO, "the limits for Envoy were read again from {0}", directory);
        } catch (EnvoyConfigException e) {
            watcher.failed();
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the limits for Envoy stay as they were: {0}",
                    String.join("; ", e.problems()));
        }
    }

    @Override
    public void close() {
        watcher.close();
    }
}
