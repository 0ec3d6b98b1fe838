package dev.sluice.spring;

import dev.sluice.rules.Request;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.StatusConditions;
import dev.sluice.rules.TrustedProxies;
import dev.sluice.rules.UnderWay;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.AttributeNames;
import dev.sluice.rules.match.Attributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rules as the web filters check them.
 *
 * <p>A rule with a condition on {@code status} is about the response, which does not exist yet when the request is checked.
 * Such a rule is charged when the response is about to leave. Until then the request has one of a few places for its key,
 * so that not all requests that are sent at once come through.
 */
public final class WebRules {
    /** Which rules a filter checks. */
    public enum Phase {
        /** All of them. */
        ALL,
        /** Those that do not need the user. */
        BEFORE_USER,
        /** Those that need the user. */
        WITH_USER
    }

    /** In place of a status: the client has hung up, so there is none. It matches every condition. */
    public static final int NO_STATUS = 0;

    /** Set to {@link #WEB} on each web request, so that a condition on another value keeps a rule from them. */
    public static final String CALLER = "caller";

    public static final String WEB = "web";

    static final String HEADER = "header.";
    private static final String USER = "user";
    /** The attributes of every web request, besides its headers. */
    static final List<String> BUILT_IN = List.of(
            Attributes.IP,
            Attributes.PATH,
            Attributes.METHOD,
            Attributes.HOST,
            USER,
            StatusConditions.STATUS,
            CALLER,
            Attributes.REGION,
            Attributes.PRIORITY);

    private final RuleSet rules;
    private final WebSettings settings;
    private final StatusConditions statuses;
    private final Set<String> byUser = new HashSet<>();
    private final Predicate<Rule> withUser = rule -> byUser.contains(rule.name());
    private final Predicate<Rule> withoutUser = withUser.negate();
    private final boolean needsHost;
    private final List<String> headers;
    private final List<RuleAttribute<?>> attributes;
    private final List<String> known = new ArrayList<>(BUILT_IN);
    private final List<String> warnings = new ArrayList<>();

    WebRules(RuleSet configured, WebSettings settings) {
        this.settings = settings;
        Set<String> ofUser = Stream.concat(
                        Stream.of(USER),
                        settings.attributes().stream()
                                .filter(RuleAttribute::needsUser)
                                .map(RuleAttribute::name))
                .collect(Collectors.toSet());
        settings.attributes().forEach(attribute -> known.add(attribute.name()));
        Set<String> used = new HashSet<>();
        for (Rule rule : configured.rules()) {
            Set<String> ofRule = rule.attributes().collect(Collectors.toSet());
            used.addAll(ofRule);
            if (ofRule.stream().anyMatch(ofUser::contains)) {
                byUser.add(rule.name());
            }
            if (isForWeb(rule)) {
                warnings.addAll(warnings(rule));
            }
        }
        this.needsHost = used.contains(Attributes.HOST);
        this.headers = used.stream()
                .filter(name -> name.startsWith(HEADER))
                .map(name -> name.substring(HEADER.length()))
                .sorted()
                .toList();
        this.attributes = settings.attributes().stream()
                .filter(attribute -> used.contains(attribute.name()))
                .toList();
        this.statuses = statuses(configured, settings.underWay());
        this.rules = statuses.rules();
    }

    /** Whether a web request can meet its condition on the caller. */
    public boolean isForWeb(Rule rule) {
        return rule.when().stream()
                .filter(condition -> condition.attribute().equals(CALLER))
                .allMatch(condition -> condition.matches(WEB));
    }

    /** Warns of the attributes that a rule uses and that nothing sets on a web request. */
    public List<String> warnings(Rule rule) {
        String hint = isForWeb(rule)
                ? "; a bean of type RuleAttribute would, or say when: { caller: method } if the rule is for annotations"
                        + " only, { caller: gateway } if it is for routes of Spring Cloud Gateway only"
                : "; a bean of type RuleAttribute would, or a key in the annotation";
        return rule.attributes()
                .distinct()
                .sorted()
                .map(name -> AttributeNames.unknown(name, known))
                .flatMap(Stream::ofNullable)
                .map(unknown -> "rule '" + rule.name() + "': " + unknown + hint)
                .toList();
    }

    private static StatusConditions statuses(RuleSet rules, UnderWay underWay) {
        try {
            return StatusConditions.of(rules, underWay);
        } catch (IllegalArgumentException e) {
            throw new RateLimitConfigurationException("a rule with a condition on status: " + e.getMessage());
        }
    }

    RuleSet rules() {
        return rules;
    }

    /** The names of the headers that rules use. */
    public List<String> headers() {
        return headers;
    }

    /** The attributes of the application that rules use. */
    public List<RuleAttribute<?>> attributes() {
        return attributes;
    }

    /**
     * What may be a mistake in the rules for web requests. The keys of others come from annotations, or from the gateway's
     * key resolver.
     */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** The proxies whose X-Forwarded-For is trusted. */
    public TrustedProxies trustedProxies() {
        return rules.trustedProxies();
    }

    /** Whether the server itself replaces the address of the peer by what X-Forwarded-For says. */
    public boolean isForwardedByServer() {
        return settings.forwardedByServer();
    }

    /** Whether there are no rules. */
    public boolean isEmpty() {
        return rules.rules().isEmpty();
    }

    /** Whether a rule uses the user. */
    public boolean needsUser() {
        return !byUser.isEmpty();
    }

    /** Whether a rule uses the host. */
    public boolean needsHost() {
        return needsHost;
    }

    /** The rules of a phase. */
    public Predicate<Rule> in(Phase phase) {
        return switch (phase) {
            case ALL -> any -> true;
            case BEFORE_USER -> withoutUser;
            case WITH_USER -> withUser;
        };
    }

    /** Whether a rule is yet to be charged, by the status of the response. */
    public boolean needsStatus(Verdict verdict) {
        return !statuses.isEmpty() && verdict.decisions().stream().anyMatch(RuleDecision::isChargedLater);
    }

    /** Charges the rules whose condition on the status matches; completes when the store has done so. */
    public CompletableFuture<Void> settle(RuleEngine engine, Request request, Verdict verdict, int status) {
        return engine.settle(request, verdict, rule -> status == NO_STATUS || statuses.matches(rule.name(), status));
    }
}
