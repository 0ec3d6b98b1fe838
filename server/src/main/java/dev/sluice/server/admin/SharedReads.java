package dev.sluice.server.admin;

import dev.sluice.Ticker;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Makes answers that take time and memory, a few at once, and one for all who ask for the same at about the same time.
 *
 * <p>Why: the figures of a thousand rules take some megabytes while they are being written, and a hundred pages ask for them
 * every second. An answer is given for half a second: what it says changes once a second, and no page that asks once a
 * second is given the same answer twice.
 */
final class SharedReads {
    private static final int AT_ONCE = 2;
    private static final Duration MAX_AGE = Duration.ofMillis(500);
    /** Of more answers than these, those that were asked for least lately are not given again. */
    private static final int MAX_KEPT = 8;

    private final Vertx vertx;
    private final Ticker ticker;
    private final WorkerExecutor worker;
    /** By what they are, the one that was asked for last at the end. Guarded by itself. */
    private final Map<String, Answer> answers = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * An answer.
     *
     * @param of what it was made of: it is given as long as that is the same
     * @param beganNanos when it was asked for first
     */
    private record Answer(Object of, long beganNanos, Future<Buffer> made) {}

    SharedReads(Vertx vertx) {
        this(vertx, Ticker.system());
    }

    SharedReads(Vertx vertx, Ticker ticker) {
        this.vertx = vertx;
        this.ticker = ticker;
        this.worker = vertx.createSharedWorkerExecutor("sluice-figures", AT_ONCE);
    }

    /**
     * An answer, on the event loop that asks.
     *
     * @param of what the answer is made of; when that is replaced, so is the answer
     */
    Future<Buffer> read(String what, Object of, Supplier<String> answer) {
        Context asks = vertx.getOrCreateContext();
        Promise<Buffer> promise = Promise.promise();
        shared(what, of, answer).onComplete(made -> asks.runOnContext(now -> promise.handle(made)));
        return promise.future();
    }

    private Future<Buffer> shared(String what, Object of, Supplier<String> answer) {
        long now = ticker.nanos();
        synchronized (answers) {
            Answer known = answers.get(what);
            if (known != null && isGiven(known, now) && known.of.equals(of)) {
                return known.made;
            }
            Future<Buffer> made = worker.executeBlocking(() -> Buffer.buffer(answer.get()), false)
                    .map(Objects::requireNonNull);
            answers.put(what, new Answer(of, now, made));
            return made.onComplete(done -> {
                forget();
                vertx.setTimer(MAX_AGE.toMillis(), over -> forget());
            });
        }
    }

    /** How many answers there are, also those that are still being made. */
    int count() {
        synchronized (answers) {
            return answers.size();
        }
    }

    /**
     * Forgets what is not given any more, also when nobody asks again: with very many rules an answer takes megabytes. What
     * is still being made stays, or the slower the answers were, the more often each would be made; there are no more of
     * those than requests.
     */
    private void forget() {
        long now = ticker.nanos();
        synchronized (answers) {
            int made = 0;
            for (Iterator<Answer> all = answers.values().iterator(); all.hasNext(); ) {
                Answer answer = all.next();
                if (!isGiven(answer, now)) {
                    all.remove();
                } else if (answer.made.isComplete()) {
                    made++;
                }
            }
            for (Iterator<Answer> all = answers.values().iterator(); made > MAX_KEPT && all.hasNext(); ) {
                if (all.next().made.isComplete()) {
                    all.remove();
                    made--;
                }
            }
        }
    }

    /** One that is still being made is, however long that takes: whoever asks again only adds to the work. */
    private static boolean isGiven(Answer answer, long now) {
        return !answer.made.isComplete() || (answer.made.succeeded() && now - answer.beganNanos < MAX_AGE.toNanos());
    }
}
