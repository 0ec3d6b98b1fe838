package dev.sluice.rules.watch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Repeats tasks that look for changes outside this process, one at a time, on a thread of its own. Whatever a task throws
 * is logged and counted, and the task is repeated all the same.
 */
public final class Watcher implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Watcher.class.getName());
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(5);

    private final String name;
    private final LongAdder failures = new LongAdder();
    private final List<Guarded> tasks = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor thread;

    /** With a name for the thread, the log and the metrics. */
    public Watcher(String name) {
        this.name = name;
        this.thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "sluice-" + name);
            made.setDaemon(true);
            return made;
        });
    }

    public String name() {
        return name;
    }

    /** How often a task has failed. */
    public long failures() {
        return failures.sum();
    }

    /** What the last run of a task threw, if it did; null if the last run of every task succeeded. */
    public @Nullable String failure() {
        return tasks.stream()
                .map(task -> task.failure)
                .filter(failure -> !failure.isEmpty())
                .findFirst()
                .orElse(null);
    }

    /** Counts a failure that a task has handled. */
    public void failed() {
        failures.increment();
    }

    /** Runs a task again and again, with this pause before each run. */
    public void repeat(Duration pause, Runnable task) {
        Guarded guarded = new Guarded(task);
        tasks.add(guarded);
        thread.scheduleWithFixedDelay(guarded, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Runs a task once, between the others.
     *
     * @throws java.util.concurrent.RejectedExecutionException after {@link #close}
     */
    public void execute(Runnable task) {
        thread.execute(task);
    }

    /** Lets the task that is running finish, and runs no other. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(TIME_TO_STOP.toSeconds(), TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Guarded implements Runnable {
        private final Runnable task;
        private volatile String failure = "";

        Guarded(Runnable task) {
            this.task = task;
        }

        /** A task that throws would not be run again. The same failure is logged once, until the task succeeds. */
        @Override
        public void run() {
            try {
                task.run();
                failure = "";
            } catch (Throwable e) {
                failures.increment();
                String before = failure;
                failure = e.toString();
                if (!before.equals(failure)) {
                    LOG.log(System.Logger.Level.ERROR, "watching " + name + " failed, and goes on", e);
                }
            }
        }
    }
}
