package dev.sluice.server.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Makes answers that take time and memory, a few at once, and one for all who wait for the same.
 *
 * <p>Why: the figures of a thousand rules take some megabytes while they are being written, and a hundred pages ask for them
 * every second. Who asks while an answer waits to be begun shares it; it is as fresh as one of their own.
 */
final class SharedReads {
    private static final int AT_ONCE = 2;

    private final Vertx vertx;
    private final WorkerExecutor worker;
    /** What has not been begun, by what it is. */
    private final ConcurrentMap<String, Future<Buffer>> waiting = new ConcurrentHashMap<>();

    SharedReads(Vertx vertx) {
        this.vertx = vertx;
        this.worker = vertx.createSharedWorkerExecutor("sluice-figures", AT_ONCE);
    }

    /** An answer, on the event loop that asks. */
    Future<Buffer> read(String what, Supplier<String> answer) {
        Context asks = vertx.getOrCreateContext();
        Promise<Buffer> promise = Promise.promise();
        waiting.computeIfAbsent(what, name -> begin(name, answer))
                .onComplete(made -> asks.runOnContext(now -> promise.handle(made)));
        return promise.future();
    }

    private Future<Buffer> begin(String what, Supplier<String> answer) {
        return worker.executeBlocking(
                        () -> {
                            waiting.remove(what);
                            return answer.get();
                        },
                        false)
                .map(Buffer::buffer);
    }
}
