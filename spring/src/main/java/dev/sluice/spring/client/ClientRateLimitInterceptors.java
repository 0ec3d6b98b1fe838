package dev.sluice.spring.client;

import dev.sluice.rules.Verdict;
import dev.sluice.spring.BlockingVerdicts;
import dev.sluice.spring.RuleRegistry;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Makes interceptors that limit the calls of a {@code RestClient} or {@code RestTemplate} by a rule.
 *
 * <pre>{@code
 * RestClient github = RestClient.builder().requestInterceptor(interceptors.forRule("github")).build();
 * }</pre>
 *
 * <p>A rule with {@code on-exceed: wait up to …} makes calls wait for permits. A call over the limit is not sent:
 * {@link dev.sluice.spring.RateLimitedException} is thrown. A call that the server answers with 429 and
 * {@code Retry-After} is sent again after that time, three times in all. The same goes for 503, if the method is
 * idempotent. A time of more than 30 seconds is not waited for. Each try is checked against the rule.
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
        return new Interceptor(new OutgoingRule(registry, rule));
    }

    private record Interceptor(OutgoingRule rule) implements ClientHttpRequestInterceptor {
        @Override
        public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
                throws IOException {
            for (int tried = 1; ; tried++) {
                ClientHttpResponse response = once(request, body, execution);
                Duration wait = RetryAfterPolicy.wait(
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
            Verdict verdict = await(request);
            if (!verdict.allowed()) {
                throw OutgoingRule.denied(verdict);
            }
            try {
                return execution.execute(request, body);
            } finally {
                rule.engine().release(verdict);
            }
        }

        private Verdict await(HttpRequest request) throws IOException {
            try {
                return BlockingVerdicts.await(
                        rule.engine(), rule.check(request.getMethod().name(), request.getURI()), request.getURI());
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
}
