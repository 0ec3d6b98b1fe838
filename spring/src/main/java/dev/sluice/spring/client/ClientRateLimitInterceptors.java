package dev.sluice.spring.client;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.RuleRegistry;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Limits the calls of a {@code RestClient} or {@code RestTemplate} by a rule.
 *
 * <pre>{@code
 * RestClient github = RestClient.builder().requestInterceptor(interceptors.forRule("github")).build();
 * }</pre>
 *
 * <p>A rule with {@code on-exceed: wait up to …} makes calls wait for their turn. One over the limit is not sent:
 * {@link dev.sluice.spring.RateLimitedException} is thrown. When the other side says {@code Retry-After}, the call is
 * sent again then, three times in all; not if that is more than 30 seconds away, and after 503 not if it may not be done
 * twice. Each try is asked of the rule.
 */
public final class ClientRateLimitInterceptors {
    private final RuleRegistry registry;

    ClientRateLimitInterceptors(RuleRegistry registry) {
        this.registry = registry;
    }

    /**
     * An interceptor for the rule of this name.
     *
     * @throws IllegalArgumentException if there is no such rule
     */
    public ClientHttpRequestInterceptor forRule(String rule) {
        return new Interceptor(new OutgoingRule(registry, rule), RetryAfterPolicy.USUAL);
    }

    private record Interceptor(OutgoingRule rule, RetryAfterPolicy retry) implements ClientHttpRequestInterceptor {
        @Override
        public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
                throws IOException {
            for (int tried = 1; ; tried++) {
                ClientHttpResponse response = once(request, body, execution);
                Duration wait = retry.wait(
                        tried,
                        request.getMethod().name(),
                        response.getStatusCode().value(),
                        response.getHeaders().getFirst("Retry-After"));
                if (wait == null) {
                    return response;
                }
                response.close();
                sleep(wait);
            }
        }

        private ClientHttpResponse once(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
                throws IOException {
            Verdict verdict = await(rule.ask(request.getMethod().name(), request.getURI()));
            if (!verdict.allowed()) {
                throw rule.over(verdict);
            }
            if (verdict.delayMicros() > 0) {
                sleep(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(verdict.delayMicros())));
            }
            try {
                return execution.execute(request, body);
            } finally {
                rule.release(verdict);
            }
        }

        private Verdict await(CompletableFuture<Verdict> asked) throws IOException {
            try {
                return asked.get();
            } catch (InterruptedException e) {
                if (!asked.cancel(false)) {
                    asked.thenAccept(rule::refund);
                }
                throw interrupted();
            } catch (ExecutionException e) {
                throw new IllegalStateException("asking the limits of a call failed", e.getCause());
            }
        }

        private static void sleep(Duration wait) throws IOException {
            try {
                TimeUnit.NANOSECONDS.sleep(wait.toNanos());
            } catch (InterruptedException e) {
                throw interrupted();
            }
        }

        private static InterruptedIOException interrupted() {
            Thread.currentThread().interrupt();
            return new InterruptedIOException("interrupted while a call waited for its turn");
        }
    }
}
