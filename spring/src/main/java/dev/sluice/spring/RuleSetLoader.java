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
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/** Loads the rules: from the file that {@code sluice.rules} names, or from the application's properties. */
final class RuleSetLoader {
    private static final String PROPERTIES = "the application's properties";
    /** The fields of a rule file besides its rules and its store. */
    private static final List<String> OTHER_FIELDS = List.of("trusted-proxies", "geo-database", "ipv6-prefix");

    private final ResourceLoader resources;
    private final PropertyTree properties;

    RuleSetLoader(Environment environment, ResourceLoader resources) {
        this.resources = resources;
        this.properties = new PropertyTree(environment);
    }

    RuleSet load() {
        Object rules = properties.read(ConfigurationPropertyName.of("sluice.rules"));
        return rules instanceof String location && !location.isEmpty() ? fromFile(location) : fromProperties(rules);
    }

    private RuleSet fromFile(String location) {
        for (String field : OTHER_FIELDS) {
            if (properties.read(ConfigurationPropertyName.of("sluice." + field)) != null) {
                throw new RateLimitConfigurationException("sluice." + field + ": sluice.rules names the file "
                        + location + ", so " + field + " belongs there");
            }
        }
        try {
            boolean url = location.startsWith("classpath:") || location.startsWith("file:");
            return url ? fromResource(resources.getResource(location), location) : RuleFile.read(Path.of(location));
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(
                    e.problems().stream().map(FileProblem::toString).toList());
        } catch (InvalidPathException e) {
            throw new RateLimitConfigurationException("sluice.rules: not the path of a file: " + e.getMessage());
        }
    }

    private static RuleSet fromResource(Resource resource, String location) {
        if (!resource.exists()) {
            throw new RateLimitConfigurationException("sluice.rules: there is no " + location);
        }
        try {
            return resource.isFile()
                    ? RuleFile.read(resource.getFile().toPath())
                    : RuleFile.parse(location, resource.getContentAsString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new RateLimitConfigurationException(
                    "sluice.rules: " + location + " cannot be read: " + e.getMessage());
        }
    }

    private RuleSet fromProperties(@Nullable Object rules) {
        Map<String, Object> file = new LinkedHashMap<>();
        for (String field : OTHER_FIELDS) {
            Object value = properties.read(ConfigurationPropertyName.of("sluice." + field));
            if (value != null) {
                file.put(field, value);
            }
        }
        file.put("rules", rules == null ? List.of() : rules);
        try {
            return RuleFile.parse(PROPERTIES, PropertyTree.json(file));
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(described(e.problems()));
        }
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
