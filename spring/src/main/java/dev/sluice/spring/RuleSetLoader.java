package dev.sluice.spring;

import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.FileProblem;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/** Loads the rules: from the file that {@code sluice.rules} names, or from the application's properties. */
final class RuleSetLoader {
    private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("sluice.rules");

    static final String PROPERTIES = "the application's properties";
    /** The fields of a rule file besides its rules and its store. */
    static final List<String> OTHER_FIELDS =
            List.of("trusted-proxies", "geo-database", "ipv6-prefix", "path-case", "path-trailing-slash");

    /**
     * Where rules are written, and what is written there.
     *
     * @param name the name of the file, or of the properties
     * @param file the file; null if they are not in one that can change
     */
    record Source(String name, @Nullable Path file, String text) {}

    private final ResourceLoader resources;
    private final PropertyTree properties;

    RuleSetLoader(Environment environment, ResourceLoader resources) {
        this.resources = resources;
        this.properties = new PropertyTree(environment);
    }

    RuleSet load() {
        return parse(source());
    }

    /**
     * What is written now.
     *
     * @throws RateLimitConfigurationException if it cannot be read
     */
    Source source() {
        Object rules = properties.read(RULES);
        return rules instanceof String location && !location.isEmpty() ? inFile(location) : inProperties(rules);
    }

    /**
     * The rules of a source.
     *
     * @throws RateLimitConfigurationException if anything is wrong with them
     */
    RuleSet parse(Source source) {
        try {
            return RuleFile.parse(source.name(), source.text());
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(
                    source.name().equals(PROPERTIES) ? described(e.problems()) : texts(e));
        }
    }

    private Source inFile(String location) {
        for (String field : OTHER_FIELDS) {
            if (properties.read(ConfigurationPropertyName.of("sluice." + field)) != null) {
                throw new RateLimitConfigurationException("sluice." + field + ": sluice.rules names the file "
                        + location + ", so " + field + " belongs there");
            }
        }
        try {
            boolean url = location.startsWith("classpath:") || location.startsWith("file:");
            return url ? inResource(resources.getResource(location), location) : inFile(Path.of(location));
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(texts(e));
        } catch (InvalidPathException e) {
            throw new RateLimitConfigurationException("sluice.rules: not the path of a file: " + e.getMessage());
        }
    }

    private static Source inFile(Path file) {
        return new Source(file.toString(), file, RuleFile.text(file));
    }

    private static Source inResource(Resource resource, String location) {
        if (!resource.exists()) {
            throw new RateLimitConfigurationException("sluice.rules: there is no " + location);
        }
        try {
            return resource.isFile()
                    ? inFile(resource.getFile().toPath())
                    : new Source(location, null, resource.getContentAsString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new RateLimitConfigurationException(
                    "sluice.rules: " + location + " cannot be read: " + e.getMessage());
        }
    }

    private Source inProperties(@Nullable Object rules) {
        if (rules instanceof Map<?, ?> some && some.keySet().stream().allMatch(RuleSetLoader::isIndex)) {
            requireAll(some);
        }
        Map<String, Object> file = new LinkedHashMap<>();
        for (String field : OTHER_FIELDS) {
            Object value = properties.read(ConfigurationPropertyName.of("sluice." + field));
            if (value != null) {
                file.put(field, value);
            }
        }
        file.put("rules", rules == null ? List.of() : rules);
        return new Source(PROPERTIES, null, PropertyTree.json(file));
    }

    private static boolean isIndex(Object name) {
        return name.toString().matches("\\d+");
    }

    /** Names the rule that a list lacks. It was perhaps meant to be that of another source. */
    private void requireAll(Map<?, ?> rules) {
        int missing = 0;
        while (rules.containsKey(Integer.toString(missing))) {
            missing++;
        }
        ConfigurationProperty first = properties.first(RULES);
        String origin = first == null ? null : PropertyTree.origin(first);
        throw new RateLimitConfigurationException((first == null ? RULES : first.getName()) + ": there is no " + RULES
                + "[" + missing + "] in the same source; a source that sets one rule replaces the whole list, so write"
                + " all rules there" + (origin == null ? "" : " (" + origin + ")"));
    }

    private static List<String> texts(RuleFileException e) {
        return e.problems().stream().map(FileProblem::toString).toList();
    }

    /** The problems with the names of properties and their origins in place of line and column, which the user never sees. */
    private List<String> described(List<FileProblem> problems) {
        List<String> described = new ArrayList<>();
        for (FileProblem problem : problems) {
            String origin = properties.origin("sluice." + problem.field());
            described.add("sluice." + problem.field() + ": " + problem.message()
                    + (origin == null ? "" : " (" + origin + ")"));
        }
        return described;
    }
}
