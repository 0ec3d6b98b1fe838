package dev.sluice.bench.server;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Pages that are open: each asks for {@code /v1/live} once a second and listens to {@code /v1/events}. */
final class OpenPages implements AutoCloseable {
    private static final long SECOND = 1000;
    private static final Duration TO_OPEN = Duration.ofSeconds(20);
    /** More often than a server needs to be asked that goes on counting hot keys. */
    private static final long WHILE_COUNTING = 3 * SECOND;

    private final HttpClient client = HttpClient.newHttpClient();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "pages");
        thread.setDaemon(true);
        return thread;
    });
    private final List<CompletableFuture<?>> streams = new ArrayList<>();
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final int adminPort;
    private final int pages;

    private OpenPages(int adminPort, int pages) {
        this.adminPort = adminPort;
        this.pages = pages;
    }

    /** Pages that have each had an answer: to open them is not part of what they cost while they are open. */
    static OpenPages open(int adminPort, int pages) {
        OpenPages open = new OpenPages(adminPort, pages);
        for (int i = 0; i < pages; i++) {
            open.streams.add(open.client.sendAsync(request(adminPort, "/v1/events"), BodyHandlers.discarding()));
            open.poll(i * SECOND / pages, SECOND);
        }
        open.awaitAnswers();
        return open;
    }

    /** No page, but a question now and then, so that the server counts which keys are hot. */
    static OpenPages countingHotKeys(int adminPort) {
        OpenPages open = new OpenPages(adminPort, 1);
        open.poll(0, WHILE_COUNTING);
        return open;
    }

    private void poll(long first, long every) {
        timer.scheduleAtFixedRate(this::poll, first, every, TimeUnit.MILLISECONDS);
    }

    private void poll() {
        client.sendAsync(request(adminPort, "/v1/live"), BodyHandlers.ofString())
                .thenApply(HttpResponse::statusCode)
                .whenComplete(
                        (status, failure) -> (failure == null && status == 200 ? answers : failures).incrementAndGet());
    }

    private void awaitAnswers() {
        long deadline = System.nanoTime() + TO_OPEN.toNanos();
        while (answers.get() < pages) {
            if (failures.get() > 0 || System.nanoTime() > deadline) {
                close();
                throw new IllegalStateException(
                        "of " + pages + " pages " + answers + " had an answer, and " + failures + " a failure");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static HttpRequest request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
    }

    /** Throws an exception if the pages that are open got no answers. */
    void requireAnswers() {
        boolean ended = streams.stream().anyMatch(CompletableFuture::isDone);
        if (pages > 0 && (ended || failures.get() > 0 || answers.get() == 0)) {
            throw new IllegalStateException("the pages had " + answers + " answers and " + failures + " failures"
                    + (ended ? ", and a stream of events ended" : ""));
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        streams.forEach(stream -> stream.cancel(true));
    }
}
