package dev.sluice.spring.web.reactive;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.scheduler.Schedulers;

/** Holds back what Reactor's schedulers are given to run, until the test lets it run. */
final class HeldTasks implements AutoCloseable {
    private static final String HOOK = HeldTasks.class.getName();

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    HeldTasks() {
        Schedulers.onScheduleHook(HOOK, task -> () -> tasks.add(task));
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public void close() {
        Schedulers.resetOnScheduleHook(HOOK);
        run();
    }
}
