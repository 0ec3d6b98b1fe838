package dev.sluice.spring.client;

import dev.sluice.spring.RuleRegistry;
import feign.AsyncClient;
import feign.Capability;
import feign.Client;
import feign.Request;
import feign.Response;
import java.io.IOException;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Makes capabilities that limit the calls of a Feign client by a rule, as {@link ClientRateLimitInterceptors} does.
 *
 * <pre>{@code
 * Feign.builder().addCapability(capabilities.forRule("github")).target(Github.class, "https://api.github.com");
 * }</pre>
 */
public final class ClientRateLimitCapabilities {
    private final RuleRegistry registry;

    ClientRateLimitCapabilities(RuleRegistry registry) {
        this.registry = registry;
    }

    /**
     * A capability for the rule of this name.
     *
     * @throws dev.sluice.spring.RateLimitConfigurationException if there is no such rule
     */
    public Capability forRule(String rule) {
        return new Limited(new BlockingCalls(new OutgoingRule(registry, rule, "ClientRateLimitCapabilities.forRule")));
    }

    /** Limits a client. It is public because Feign calls it by reflection. */
    public static final class Limited implements Capability {
        private final BlockingCalls calls;

        Limited(BlockingCalls calls) {
            this.calls = calls;
        }

        @Override
        public Client enrich(Client client) {
            return (request, options) -> send(client, request, options);
        }

        /** Refuses, so that no call goes out without a limit. */
        @Override
        public AsyncClient<Object> enrich(AsyncClient<Object> client) {
            throw new UnsupportedOperationException("Sluice limits Feign's blocking clients only, not AsyncFeign");
        }

        private Response send(Client client, Request request, Request.Options options) throws IOException {
            return calls.send(
                    request.httpMethod().name(),
                    URI.create(request.url()),
                    name -> values(request.headers(), name),
                    () -> client.execute(request, options),
                    new Reader());
        }
    }

    private record Reader() implements BlockingCalls.ResponseReader<Response> {
        @Override
        public int status(Response response) {
            return response.status();
        }

        @Override
        public List<String> header(Response response, String name) {
            return values(response.headers(), name);
        }
    }

    private static List<String> values(Map<String, Collection<String>> headers, String name) {
        return headers.entrySet().stream()
                .filter(field -> field.getKey().equalsIgnoreCase(name))
                .flatMap(field -> field.getValue().stream())
                .toList();
    }
}
