package dev.sluice.spring.client;

import dev.sluice.spring.RuleRegistry;
import java.io.IOException;
import java.util.List;
import org.springframework.http.HttpHeaders;
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
 * {@link dev.sluice.spring.RateLimitedException} is thrown. A call that the server refuses for a while is sent again as
 * {@link dev.sluice.client.RetryRules} say, with one budget for the interceptor. Each try is checked against the rule.
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
                    request.getMethod().name(),
                    request.getURI(),
                    name -> values(request.getHeaders(), name),
                    () -> execution.execute(request, body),
                    this);
        }

        @Override
        public int status(ClientHttpResponse response) throws IOException {
            return response.getStatusCode().value();
        }

        @Override
        public List<String> header(ClientHttpResponse response, String name) {
            return values(response.getHeaders(), name);
        }

        /** The first value: what returns all of them differs between the versions of Spring. */
        private static List<String> values(HttpHeaders headers, String name) {
            String first = headers.getFirst(name);
            return first == null ? List.of() : List.of(first);
        }
    }
}
