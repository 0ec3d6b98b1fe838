package dev.sluice.server.envoy;

import java.nio.file.Path;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A folder of files in the format of envoyproxy/ratelimit, looked at once a second: what is new and right takes effect,
 * what is wrong changes nothing and is told in the log. A change is taken when it is the same at the next look: somebody
 * may be in the middle of writing.
 */
public final class EnvoyFolder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EnvoyFolder.class.getName());
    private static final long LOOK_EVERY_MILLIS = 1000;

    private final Path directory;
    private final EnvoyConfig config;
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
        Thread made = new Thread(task, "sluice-envoy-config");
        made.setDaemon(true);
        return made;
    });
    private EnvoyConfig.Texts taken;
    private EnvoyConfig.@Nullable Texts settling;

    private EnvoyFolder(Path directory, EnvoyConfig.Texts texts, EnvoyConfig config) {
        this.directory = directory;
        this.taken = texts;
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

    /** From now on these limits are those of the folder. */
    public void watch(EnvoyLimits limits) {
        thread.scheduleWithFixedDelay(
                () -> lookAgain(limits), LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Whatever goes wrong, there is a next time: a task that throws would not be run again. */
    private void lookAgain(EnvoyLimits limits) {
        try {
            look(limits);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "{0} could not be looked at: {1}", directory, e);
        }
    }

    void look(EnvoyLimits limits) {
        EnvoyConfig.Texts now = EnvoyConfig.texts(directory);
        boolean settled = now.equals(settling);
        settling = now.equals(taken) ? null : now;
        if (settled && settling != null) {
            taken = now;
            settling = null;
            apply(now, limits);
        }
    }

    private void apply(EnvoyConfig.Texts texts, EnvoyLimits limits) {
        try {
            limits.apply(EnvoyConfig.parse(texts));
            LOG.log(System.Logger.Level.INFO, "the limits for Envoys are those of {0} again", directory);
        } catch (EnvoyConfigException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the limits for Envoys stay as they were: {0}",
                    String.join("; ", e.problems()));
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
