package dev.sluice.simulate.replay;

import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.StatusConditions;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Condition;
import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.file.LogSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Rules to replay a log on.
 *
 * @param name what they are called in reports, such as the name of their file
 * @param rules the rules
 */
public record ReplayRules(String name, RuleSet rules) {
    /** The attributes of a request that the rules look at. */
    public Set<String> attributes() {
        Set<String> names = new LinkedHashSet<>();
        rules.rules().stream().flatMap(this::attributes).forEach(names::add);
        return names;
    }

    /** What a rule needs of a log: a region comes from the address, if there is a database. */
    private Stream<String> attributes(Rule rule) {
        return rule.attributes()
                .filter(name -> !name.equals(StatusConditions.STATUS))
                .map(name -> name.equals(Attributes.REGION) && rules.geo() != null ? Attributes.IP : name);
    }

    /**
     * Checks that logs have what the rules ask for.
     *
     * @throws ReplayException if a file has not
     */
    public void check(List<LogSource.FileInfo> files) {
        for (Rule rule : rules.rules()) {
            for (LogSource.FileInfo file : files) {
                check(rule, file);
            }
        }
    }

    private void check(Rule rule, LogSource.FileInfo file) {
        attributes(rule)
                .filter(attribute -> !file.attributes().contains(attribute))
                .findFirst()
                .ifPresent(attribute -> {
                    throw missing(rule, attribute, file);
                });
        Stream<Condition> inOverrides = rule.overrides().stream().flatMap(override -> override.when().stream());
        if (rule.key().contains(StatusConditions.STATUS)
                || inOverrides.anyMatch(condition -> condition.attribute().equals(StatusConditions.STATUS))) {
            throw new ReplayException(name + ": rule '" + rule.name()
                    + "' uses 'status' in its key or an override; a status is known only after the request, and can"
                    + " stand in 'when' alone");
        }
        boolean onStatus =
                rule.when().stream().anyMatch(condition -> condition.attribute().equals(StatusConditions.STATUS));
        if (onStatus && !file.attributes().contains(LogAttributes.STATUS)) {
            throw missing(rule, StatusConditions.STATUS, file);
        }
        if (holds(rule) && !file.attributes().contains(LogAttributes.DURATION)) {
            throw new ReplayException(name + ": rule '" + rule.name() + "' limits how many requests run at once, and "
                    + file.name() + " does not say how long each took; log $request_time (nginx) or %D (Apache). "
                    + has(file));
        }
    }

    /** Whether a rule limits how many requests run at once. */
    static boolean holds(Rule rule) {
        return Stream.concat(
                        rule.limits().stream(),
                        rule.overrides().stream().flatMap(override -> override.limits().stream()))
                .anyMatch(limit -> limit.holds());
    }

    private ReplayException missing(Rule rule, String attribute, LogSource.FileInfo file) {
        return new ReplayException(name + ": rule '" + rule.name() + "' asks for '" + attribute + "', which "
                + file.name() + " does not have. " + has(file));
    }

    private static String has(LogSource.FileInfo file) {
        return "Its format, " + file.format() + ", has " + String.join(", ", file.attributes());
    }
}
