package dev.sluice.spring.client;

import dev.sluice.spring.RuleRegistry;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
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
     * @throws dev.sluice.spring.RateLimitConfigurationException if there is no such rule
     */
    public ClientHttpRequestInterceptor forRule(String rule) {
        return new Interceptor(
                new BlockingCalls(new OutgoingRule(registry, rule, "ClientRateLimitInterceptors.forRule")));
    }

    private record Interceptor(BlockingCalls calls)
            implements ClientHttpRequestInterceptor, BlockingCalls.ResponseReader<ClientHttpResponse> {
        @Override
        public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
                throws IOException {
            return calls.send(
                    request.getMethod().name(), request.getURI(), () -> execution.execute(request, body), this);
        }

        @Override
        public int status(ClientHttpResponse response) throws IOException {
            return response.getStatusCode().value();
        }

        @Override
        public @Nullable String retryAfter(ClientHttpResponse response) {
            return response.getHeaders().getFirst("Retry-After");
        }
    }
}
