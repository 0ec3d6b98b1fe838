package dev.sluice.spring;

import dev.sluice.rules.RuleSet;
import dev.sluice.rules.watch.WatchedFile;
import dev.sluice.rules.watch.Watcher;
import dev.sluice.spring.RuleSetLoader.Source;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.SmartApplicationListener;

/**
 * Takes over rules that change while the application runs: those of the file that {@code sluice.rules} names, when the file
 * changes, and those of properties, when Spring Cloud has refreshed them.
 *
 * <p>The newest change wins: a version that was rolled back to stays in force until the file or the properties change
 * again. Bad rules change nothing; they are logged once, and shown until they are mended.
 */
final class RuleReloader implements SmartLifecycle, SmartApplicationListener {
    private static final Logger LOG = LoggerFactory.getLogger(RuleReloader.class);
    /** Compared by name, since applications without Spring Cloud do not have the class. */
    private static final String REFRESHED = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private final RuleSetLoader loader;
    private final RuleRegistry registry;
    private final Duration interval;
    private final String store;
    private Source source;
    private @Nullable WatchedFile file;
    private @Nullable Watcher watcher;
    private boolean running;
    /** What is wrong with the rules of the source. */
    private List<String> wrong = List.of();
    /** What was shown last: that, or why the source cannot be read. */
    private List<String> shown = List.of();

    /** @param source what the rules in force were read from */
    RuleReloader(RuleSetLoader loader, RuleRegistry registry, Source source, Duration interval) {
        this.loader = loader;
        this.registry = registry;
        this.interval = interval;
        this.source = source;
        this.file = watched(source);
        this.store = registry.configured().store();
    }

    private static @Nullable WatchedFile watched(Source source) {
        return source.file() == null ? null : new WatchedFile(source.file(), source.text());
    }

    @Override
    public synchronized void start() {
        running = true;
        watch();
    }

    /** Begins to look at the file, if there is one, and nobody does yet. */
    private void watch() {
        if (running && file != null && watcher == null) {
            Watcher started = new Watcher("rules");
            started.repeat(interval, this::look);
            watcher = started;
        }
    }

    @Override
    public void stop() {
        Watcher stopped;
        synchronized (this) {
            running = false;
            stopped = watcher;
            watcher = null;
        }
        if (stopped != null) {
            stopped.close(); // without the lock, which a look may wait for
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
        return type.getName().equals(REFRESHED);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        refresh();
    }

    /** Looks at the file. */
    synchronized void look() {
        WatchedFile file = this.file;
        if (file == null) {
            return;
        }
        Optional<String> changed = file.look();
        String problem = file.problem();
        if (problem != null) {
            show(List.of(problem));
        } else if (changed.isPresent()) {
            apply(new Source(source.name(), source.file(), changed.get()));
        } else {
            show(wrong);
        }
    }

    /** Reads the properties again, and with them which file the rules are in. */
    synchronized void refresh() {
        try {
            Source next = loader.source();
            if (next.equals(source)) {
                show(wrong);
            } else {
                file = watched(next);
                watch();
                apply(next);
            }
        } catch (RateLimitConfigurationException e) {
            show(e.problems());
        }
    }

    private void apply(Source next) {
        source = next;
        wrong = problems(next);
        show(wrong);
    }

    /** Puts the rules of a source in force; returns what is wrong with them if they are not. */
    private List<String> problems(Source next) {
        try {
            RuleSet rules = loader.parse(next);
            requireStore(rules);
            RuleVersion version = registry.replace(rules, RuleVersion.Origin.RELOAD);
            LOG.info(
                    "version {} of the rules is in force: {} rules from {}",
                    version.number(),
                    rules.rules().size(),
                    next.name());
            return List.of();
        } catch (RateLimitConfigurationException e) {
            return e.problems();
        } catch (RuntimeException | StackOverflowError e) {
            LOG.debug("the rules of {} could not be put in force", next.name(), e);
            return List.of("they could not be put in force: " + e);
        }
    }

    private void requireStore(RuleSet rules) {
        if (!rules.store().equals(store)) {
            throw new RateLimitConfigurationException(
                    "store: a running application keeps its store, and this names another: start it again for that");
        }
    }

    /** Shows what is wrong with the newest rules, or that nothing is. The same problems are logged and counted once. */
    private void show(List<String> problems) {
        if (problems.equals(shown)) {
            return;
        }
        shown = List.copyOf(problems);
        if (problems.isEmpty()) {
            registry.history().clearRejected();
        } else {
            LOG.error(
                    "the rules of {} are wrong, and those before stay in force:\n    {}",
                    source.name(),
                    String.join("\n    ", problems));
            registry.history().reject(source.name(), problems);
        }
    }
}
