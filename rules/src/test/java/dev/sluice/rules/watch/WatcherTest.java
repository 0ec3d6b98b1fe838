package dev.sluice.rules.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.servers.Eventually;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WatcherTest {
    /** Errors as well as exceptions: a task that throws out of its thread would never run again. */
    @Test
    void whateverATaskThrowsItIsRepeatedAndTheFailureCounted() {
        AtomicInteger runs = new AtomicInteger();
        try (Watcher watcher = new Watcher("test")) {
            watcher.repeat(Duration.ofMillis(1), () -> {
                switch (runs.incrementAndGet()) {
                    case 1 -> throw new IllegalStateException("as it may happen");
                    case 2 -> throw new StackOverflowError();
                    default -> {}
                }
            });
            Eventually.holds("it goes on", Duration.ofSeconds(15), () -> runs.get() > 3);
            assertThat(watcher.failures()).isEqualTo(2);
            assertThat(watcher.failure()).isNull();
        }
    }

    @Test
    void aTaskThatFailsIsShownUntilItSucceeds() {
        AtomicBoolean well = new AtomicBoolean();
        try (Watcher watcher = new Watcher("test")) {
            watcher.repeat(Duration.ofMillis(1), () -> {});
            watcher.repeat(Duration.ofMillis(1), () -> {
                if (!well.get()) {
                    throw new StackOverflowError("too deep");
                }
            });
            Eventually.holds(
                    "shown",
                    Duration.ofSeconds(15),
                    () -> "java.lang.StackOverflowError: too deep".equals(watcher.failure()));
            well.set(true);
            Eventually.holds("over", Duration.ofSeconds(15), () -> watcher.failure() == null);
        }
    }

    @Test
    void newContentCountsWhenItHasSettled() {
        WatchedContent<String> content = new WatchedContent<>("one");
        assertThat(content.read("one")).isEmpty();
        assertThat(content.read("tw")).isEmpty();
        assertThat(content.read("two")).isEmpty();
        assertThat(content.read("two")).hasValue("two");
        assertThat(content.read("two")).isEmpty();
        assertThat(content.read("three")).isEmpty();
        assertThat(content.read("two")).as("taken back").isEmpty();
        assertThat(content.read("two")).isEmpty();
    }
}
