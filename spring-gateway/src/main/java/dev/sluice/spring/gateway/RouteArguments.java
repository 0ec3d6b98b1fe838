package dev.sluice.spring.gateway;

import dev.sluice.OnFailure;
import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.text.DidYouMean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.cloud.gateway.support.NameUtils;

/** Reads the arguments of a route's filter {@code RequestRateLimiter} that are for {@link SluiceRateLimiter}. */
final class RouteArguments {
    static final String PREFIX = "sluice-rate-limiter";
    private static final List<String> KNOWN = List.of("limits", "rule", "on-store-failure");

    /** An item of a YAML list, as the gateway names it: {@code sluice-rate-limiter.limits.0}. */
    private static final Pattern ITEM = Pattern.compile("\\.(\\d+)$");

    private RouteArguments() {}

    /** Whether one of the arguments is meant for {@link SluiceRateLimiter}, rightly spelled or not. */
    static boolean areForSluice(Map<String, ?> arguments) {
        return arguments.keySet().stream().anyMatch(RouteArguments::isForSluice);
    }

    private static boolean isForSluice(String name) {
        return plain(name).startsWith("sluice");
    }

    /** Whether the arguments name a rate limiter of their own. */
    static boolean nameALimiter(Map<String, ?> arguments) {
        return arguments.keySet().stream().anyMatch(name -> plain(name).equals("ratelimiter"));
    }

    /** The value of an argument of the gateway's own. */
    static Optional<String> value(String name, Map<String, String> arguments) {
        return arguments.entrySet().stream()
                .filter(argument -> plain(argument.getKey()).equals(plain(name)))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /**
     * Reads and checks the arguments.
     *
     * @param where the route
     * @throws RateLimitConfigurationException if one of them is wrong, or limits and rule are both missing or both there
     */
    static SluiceRateLimiter.Config read(String where, Map<String, ?> written) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        written.forEach((name, value) -> arguments.put(ITEM.matcher(name).replaceFirst("[$1]"), value));
        List<String> problems = new ArrayList<>();
        arguments.keySet().stream().filter(RouteArguments::isForSluice).forEach(name -> {
            String problem = problem(name);
            if (!problem.isEmpty()) {
                problems.add(where + ": " + name + ": " + problem);
            }
        });
        if (!problems.isEmpty()) {
            throw new RateLimitConfigurationException(problems);
        }
        SluiceRateLimiter.Config config = bound(where, arguments);
        requireOne(where, config, arguments);
        return config;
    }

    /** Requires either limits or a rule. */
    static void requireOne(String where, SluiceRateLimiter.Config config, Map<String, ?> arguments) {
        if ((config.getRule() == null) == config.getLimits().isEmpty()) {
            String found = config.getRule() != null
                    ? "both"
                    : arguments.isEmpty() ? "neither" : "neither, but " + names(arguments);
            throw new RateLimitConfigurationException(where + ": expected " + PREFIX + ".limits such as '5 per 1m', or "
                    + PREFIX + ".rule, the name of a rule; there is " + found);
        }
    }

    /** The short form, {@code RequestRateLimiter=5 per 1m}, has values whose names the gateway has made up. */
    private static String names(Map<String, ?> arguments) {
        return arguments.entrySet().stream()
                .map(each -> each.getKey().startsWith(NameUtils.GENERATED_NAME_PREFIX)
                        ? "'" + each.getValue() + "' without a name"
                        : each.getKey())
                .collect(Collectors.joining(", "));
    }

    private static String problem(String name) {
        if (!name.startsWith(PREFIX + ".")) {
            return "expected " + PREFIX + "." + KNOWN.get(0) + ", ." + KNOWN.get(1) + " or ." + KNOWN.get(2);
        }
        String own = name.substring(PREFIX.length() + 1).replaceFirst("\\[.*", "");
        return KNOWN.stream().anyMatch(known -> plain(known).equals(plain(own)))
                ? ""
                : "there is no such argument; known are " + String.join(", ", KNOWN) + DidYouMean.hint(own, KNOWN);
    }

    private static SluiceRateLimiter.Config bound(String where, Map<String, ?> arguments) {
        try {
            return new Binder(new MapConfigurationPropertySource(arguments))
                    .bindOrCreate(PREFIX, SluiceRateLimiter.Config.class);
        } catch (BindException e) {
            ConfigurationProperty property = e.getProperty();
            String name = property == null ? PREFIX : property.getName().toString();
            Object value = property == null ? arguments : property.getValue();
            String choices = name.endsWith("on-store-failure")
                    ? Arrays.stream(OnFailure.values())
                            .map(each -> each.name().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", "))
                    : "text";
            throw new RateLimitConfigurationException(
                    where + ": " + name + ": expected " + choices + ", was '" + value + "'");
        }
    }

    private static String plain(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }
}
