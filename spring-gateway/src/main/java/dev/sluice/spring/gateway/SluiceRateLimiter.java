package dev.sluice.spring.gateway;

import dev.sluice.Limit;
import dev.sluice.OnFailure;
import dev.sluice.rules.RateLimitHeaders;
import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import dev.sluice.rules.match.Condition;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import reactor.core.publisher.Mono;

/**
 * What the filter {@code RequestRateLimiter} asks. Its arguments are {@code sluice-rate-limiter.limits}, as a rule file
 * writes them, or {@code sluice-rate-limiter.rule}, the name of a rule with one attribute for a key; and
 * {@code sluice-rate-limiter.on-store-failure}.
 *
 * <p>Each route has counters of its own. The filter does not say when a request has ended, so limits that hold permits
 * are refused.
 */
public final class SluiceRateLimiter extends AbstractRateLimiter<SluiceRateLimiter.Config> {
    private static final String PROPERTIES = "sluice-rate-limiter";
    private static final String KEY = "key";

    /** What a route says. */
    public static final class Config {
        private List<String> limits = List.of();
        private @Nullable String rule;
        private OnFailure onStoreFailure = OnFailure.LOCAL;

        public List<String> getLimits() {
            return limits;
        }

        public void setLimits(List<String> limits) {
            this.limits = List.copyOf(limits);
        }

        public @Nullable String getRule() {
            return rule;
        }

        public void setRule(@Nullable String rule) {
            this.rule = rule;
        }

        public OnFailure getOnStoreFailure() {
            return onStoreFailure;
        }

        public void setOnStoreFailure(OnFailure onStoreFailure) {
            this.onStoreFailure = onStoreFailure;
        }
    }

    /** A route's rule, and the attribute that its key is made of. */
    private record Gate(String rule, @Nullable String attribute) {}

    private final RuleRegistry registry;
    private final Map<String, Gate> gates = new ConcurrentHashMap<>();

    SluiceRateLimiter(RuleRegistry registry, ConfigurationService configuration) {
        super(Config.class, PROPERTIES, configuration);
        this.registry = registry;
    }

    /** Routes came, or came anew. */
    @Override
    public void onApplicationEvent(FilterArgsEvent event) {
        super.onApplicationEvent(event);
        gates.remove(event.getRouteId());
    }

    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
        Gate gate = gates.computeIfAbsent(routeId, this::gate);
        Request.Builder request = Request.builder();
        if (gate.attribute != null) {
            request.with(gate.attribute, id.length() > Request.MAX_VALUE ? id.substring(0, Request.MAX_VALUE) : id);
        }
        RuleCheck ask = new RuleCheck(gate.rule, request.build());
        return Mono.fromFuture(() -> registry.engine().check(List.of(ask))).flatMap(this::delayed);
    }

    private Mono<Response> delayed(Verdict verdict) {
        Response response = response(verdict);
        long micros = verdict.delayMicros();
        return micros == 0
                ? Mono.just(response)
                : Mono.delay(Duration.of(micros, ChronoUnit.MICROS))
                        .doOnCancel(() -> registry.engine().refund(verdict))
                        .thenReturn(response);
    }

    private static Response response(Verdict verdict) {
        Map<String, String> headers = new LinkedHashMap<>();
        put(headers, RateLimitHeaders.POLICY, RateLimitHeaders.policy(verdict));
        put(headers, RateLimitHeaders.STATE, RateLimitHeaders.state(verdict));
        put(headers, RateLimitHeaders.RETRY_AFTER, RateLimitHeaders.retryAfter(verdict));
        return new Response(verdict.allowed(), headers);
    }

    private static void put(Map<String, String> headers, String name, @Nullable String value) {
        if (value != null) {
            headers.put(name, value);
        }
    }

    private Gate gate(String routeId) {
        Config config = getConfig().get(routeId);
        String where = "route '" + routeId + "'";
        if (config == null || (config.rule == null) == config.limits.isEmpty()) {
            throw new RateLimitConfigurationException(
                    where + ": expected " + PROPERTIES + ".limits such as '5 per 1m', or " + PROPERTIES + ".rule");
        }
        Rule rule = config.rule != null ? named(config.rule, where) : own(routeId, config, where);
        if (rule.limits().stream().anyMatch(limit -> limit instanceof Limit.Concurrency)) {
            throw new RateLimitConfigurationException(where + ": " + rule.limits()
                    + " holds permits until a request has ended, which the gateway's filter does not tell");
        }
        if (rule.key().size() > 1) {
            throw new RateLimitConfigurationException(where + ": rule '" + rule.name() + "' makes its key of "
                    + rule.key() + "; the gateway's key resolver gives one value");
        }
        if (config.rule == null) {
            registry.add(rule, where);
        }
        return new Gate(rule.name(), rule.key().isEmpty() ? null : rule.key().get(0));
    }

    private Rule named(String name, String where) {
        Rule rule = registry.rule(name);
        if (rule == null) {
            throw new RateLimitConfigurationException(where + ": there is no rule named '" + name + "'");
        }
        return rule;
    }

    private static Rule own(String routeId, Config config, String where) {
        try {
            Limit[] limits = config.limits.stream()
                    .map(text -> RuleFile.limit(where, text))
                    .toArray(Limit[]::new);
            return Rule.named("gateway:" + routeId)
                    .when(Condition.is("gateway-route", routeId))
                    .key(KEY)
                    .limits(limits)
                    .onStoreFailure(config.onStoreFailure)
                    .build();
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(String.valueOf(e.getMessage()));
        }
    }
}
