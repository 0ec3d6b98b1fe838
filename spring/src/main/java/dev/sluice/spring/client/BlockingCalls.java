package dev.sluice.spring.client;

import dev.sluice.client.RetryRules;
import dev.sluice.rules.Verdict;
import dev.sluice.spring.BlockingVerdicts;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Sends the calls of a blocking client within the limits of a rule, and again where {@link RetryRules} say so. */
record BlockingCalls(OutgoingRule rule) {
    /** Sends a call once. */
    interface Call<R extends Closeable> {
        R send() throws IOException;
    }

    /** Reads what a client calls a response. */
    interface ResponseReader<R extends Closeable> {
        int status(R response) throws IOException;

        /** The values of a header field; an empty list if there are none. */
        List<String> header(R response, String name);
    }

    /** @param header the values of a header field of the request */
    <R extends Closeable> R send(
            String method, URI uri, Function<String, List<String>> header, Call<R> call, ResponseReader<R> reader)
            throws IOException {
        RetryRules.Call tries = rule.retries().begin(method, header);
        while (true) {
            R response = once(method, uri, call);
            Duration wait = tries.waitBeforeRetry(reader.status(response), name -> reader.header(response, name));
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
