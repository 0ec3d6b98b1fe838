package dev.sluice.server.envoy;

import dev.sluice.rules.watch.WatchedContent;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.server.envoy.file.EnvoyConfig;
import dev.sluice.server.envoy.file.EnvoyConfigException;
import dev.sluice.server.ruleset.RejectedRules;
import dev.sluice.server.ruleset.RuleProblem;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A folder of files in the format of envoyproxy/ratelimit, which is read once a second. A valid change takes effect; an
 * invalid one changes nothing, and is shown until a valid one follows. A change counts when the folder is the same one
 * second later, since somebody may be in the middle of writing.
 */
public final class EnvoyFolder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EnvoyFolder.class.getName());
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Path directory;
    private final WatchedContent<EnvoyConfig.Texts> content;
    private final Watcher watcher = new Watcher("envoy-config");
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Clock clock = Clock.tickMillis(ZoneOffset.UTC);
    private volatile EnvoyConfig config;
    private volatile @Nullable RejectedRules rejected;

    /** Hears of changes, on the thread that watches the folder. */
    public interface Listener {
        /** Other limits are in force. */
        void changed(EnvoyConfig config);

        /** The folder has changed and is invalid; the limits in force are the same as before. */
        void rejected(RejectedRules rejected);
    }

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

    public Path directory() {
        return directory;
    }

    /** The limits in force. */
    public EnvoyConfig config() {
        return config;
    }

    /** Why the folder as it is now is not in force, or null if it is. */
    public @Nullable RejectedRules rejected() {
        return rejected;
    }

    public void listener(Listener listener) {
        listeners.add(listener);
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
            EnvoyConfig next = EnvoyConfig.parse(texts);
            limits.apply(next);
            config = next;
        } catch (EnvoyConfigException e) {
            watcher.failed();
            reject(e.problems());
            return;
        } catch (Throwable e) {
            reject(List.of(directory + ": could not be read: " + e));
            throw e; // the watcher counts it and logs where it happened
        }
        rejected = null;
        LOG.log(System.Logger.Level.INFO, "the limits for Envoy were read again from {0}", directory);
        listeners.forEach(listener -> listener.changed(config));
    }

    private void reject(List<String> problems) {
        RejectedRules bad = new RejectedRules(
                directory.toString(),
                clock.instant(),
                problems.stream().map(problem -> new RuleProblem(problem, 0, 0)).toList());
        rejected = bad;
        LOG.log(System.Logger.Level.ERROR, "the limits for Envoy stay as they were: {0}", String.join("; ", problems));
        listeners.forEach(listener -> listener.rejected(bad));
    }

    @Override
    public void close() {
        watcher.close();
    }
}
