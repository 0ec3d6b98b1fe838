package dev.sluice.spring;

import dev.sluice.rules.UnderWay;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What web requests have to do with rules, besides the rules.
 *
 * @param underWay how many requests may be under way for a key of a rule with a condition on the status
 * @param forwardedByServer whether the server itself replaces the address of the peer by what {@code X-Forwarded-For} says
 * @param attributes the attributes that the application adds
 */
public record WebSettings(UnderWay underWay, boolean forwardedByServer, List<RuleAttribute<?>> attributes) {
    /** No attributes of the application. */
    public static final WebSettings DEFAULT = new WebSettings(UnderWay.DEFAULT, false, List.of());

    public WebSettings {
        attributes = List.copyOf(attributes);
        Set<String> names = new HashSet<>();
        for (RuleAttribute<?> attribute : attributes) {
            String name = attribute.name();
            if (WebRules.BUILT_IN.contains(name) || name.startsWith(WebRules.HEADER)) {
                throw new RateLimitConfigurationException("the attribute '" + name + "' of "
                        + attribute.getClass().getName() + " is one that every request has; give it another name");
            }
            if (!name.matches("[a-z0-9][a-z0-9._-]{0,99}")) {
                throw new RateLimitConfigurationException("the attribute '" + name + "' of "
                        + attribute.getClass().getName()
                        + ": expected a name of lower case letters, digits, '.', '_' and '-'");
            }
            if (!names.add(name)) {
                throw new RateLimitConfigurationException("two beans of type RuleAttribute are named '" + name + "'");
            }
        }
    }
}
