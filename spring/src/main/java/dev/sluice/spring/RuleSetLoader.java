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
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/** Finds the rules: in the file that {@code sluice.rules} names, or as the application's properties write them. */
final class RuleSetLoader {
    private static final String WRITTEN = "the application's properties";
    /** What a rule file says beside its rules and its store. */
    private static final List<String> BESIDE = List.of("trusted-proxies", "geo-database", "ipv6-prefix");

    private final ResourceLoader resources;
    private final PropertyTree properties;

    RuleSetLoader(Environment environment, ResourceLoader resources) {
        this.resources = resources;
        this.properties = new PropertyTree(environment);
    }

    RuleSet rules() {
        Object rules = properties.read(ConfigurationPropertyName.of("sluice.rules"));
        return rules instanceof String location && !location.isEmpty() ? file(location) : written(rules);
    }

    private RuleSet file(String location) {
        for (String field : BESIDE) {
            if (properties.read(ConfigurationPropertyName.of("sluice." + field)) != null) {
                throw new RateLimitConfigurationException("sluice." + field + ": sluice.rules names the file "
                        + location + ", so " + field + " belongs there");
            }
        }
        try {
            boolean url = location.startsWith("classpath:") || location.startsWith("file:");
            return url ? resource(resources.getResource(location), location) : RuleFile.read(Path.of(location));
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(
                    e.problems().stream().map(FileProblem::toString).toList());
        } catch (InvalidPathException e) {
            throw new RateLimitConfigurationException("sluice.rules: not the path of a file: " + e.getMessage());
        }
    }

    private static RuleSet resource(Resource resource, String location) {
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

    private RuleSet written(@Nullable Object rules) {
        StringBuilder text = new StringBuilder("{");
        for (String field : BESIDE) {
            Object value = properties.read(ConfigurationPropertyName.of("sluice." + field));
            if (value != null) {
                PropertyTree.write(text.append('"').append(field).append("\": "), value);
                text.append(",\n");
            }
        }
        text.append("\"rules\": ");
        PropertyTree.write(text, rules == null ? List.of() : rules);
        try {
            return RuleFile.parse(WRITTEN, text.append("}\n").toString());
        } catch (RuleFileException e) {
            throw new RateLimitConfigurationException(placed(e.problems()));
        }
    }

    /** Problems by the name of the property and where that was written, since line and column mean nothing here. */
    private List<String> placed(List<FileProblem> problems) {
        List<String> placed = new ArrayList<>();
        for (FileProblem problem : problems) {
            String origin = properties.origin("sluice." + problem.field());
            placed.add("sluice." + problem.field() + ": " + problem.message()
                    + (origin == null ? "" : " (" + origin + ")"));
        }
        return placed;
    }
}
