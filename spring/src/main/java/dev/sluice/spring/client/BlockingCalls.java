package dev.sluice.spring.client;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.BlockingVerdicts;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends the calls of a blocking client within the limits of a rule, and again where {@link RetryAfterPolicy} says so. */
record BlockingCalls(OutgoingRule rule) {
    /** Sends a call once. */
    interface Call<R extends Closeable> {
        R send() throws IOException;
    }

    /** Reads what a client calls a response. */
    interface ResponseReader<R extends Closeable> {
        int status(R response) throws IOException;

        /** The value of {@code Retry-After}; null if there is none. */
        @Nullable
        String retryAfter(R response);
    }

    <R extends Closeable> R send(String method, URI uri, Call<R> call, ResponseReader<R> reader) throws IOException {
        for (int tried = 1; ; tried++) {
            R response = once(method, uri, call);
            Duration wait = RetryAfterPolicy.wait(tried, method, reader.status(response), reader.retryAfter(response));
            if (wait == null) {
                return response;
            }
            response.close();
            sleep(wait);
        }
    }

    private <R extends Closeable> R once(String method, URI uri, Call<R> call) throws IOException {
        Verdict verdict = await(method, uri);
        if (!verdict.allowed()) {
            throw OutgoingRule.denied(verdict);
        }
        try {
            return call.send();
        } finally {
            rule.engine().release(verdict);
        }
    }

    private Verdict await(String method, URI uri) throws IOException {
        try {
            return BlockingVerdicts.await(rule.engine(), rule.check(method, uri), uri);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static void sleep(Duration wait) throws IOException {
        try {
            TimeUnit.NANOSECONDS.sleep(wait.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted();
        }
    }

    private static InterruptedIOException interrupted() {
        return new InterruptedIOException("interrupted while a call waited to be sent");
    }
}
