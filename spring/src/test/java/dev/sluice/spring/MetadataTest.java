package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** What editors know of the properties is what the application reads. */
class MetadataTest {
    private static Map<String, Object> json(String name, String of) throws IOException {
        URL file = Collections.list(MetadataTest.class.getClassLoader().getResources(name)).stream()
                .filter(each -> each.toString().contains(of) && !each.toString().contains("test-classes"))
                .findFirst()
                .orElseThrow();
        try (InputStream in = file.openStream()) {
            return JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> properties() throws IOException {
        Map<String, Object> metadata = json("META-INF/spring-configuration-metadata.json", "spring/target");
        return ((List<Map<String, Object>>) Objects.requireNonNull(metadata.get("properties")))
                .stream().collect(Collectors.toMap(each -> (String) each.get("name"), each -> each));
    }

    @Test
    void everyPropertyIsDescribed() throws IOException {
        Map<String, Map<String, Object>> described = properties();
        assertThat(described.keySet())
                .contains("management.health.sluice.enabled")
                .containsAll(new PropertyNames().all());
        assertThat(described.values()).allSatisfy(each -> assertThat(each).containsKeys("type", "description"));
        assertThat(described.keySet())
                .filteredOn(name -> name.startsWith("sluice."))
                .containsExactlyInAnyOrderElementsOf(new PropertyNames().all());
    }

    /** The docs name each property, if not with its whole name then with its last part after a dot. */
    @Test
    void everyPropertyIsInTheDocs() throws IOException {
        String page = Files.readString(Path.of("../docs/spring.md"));
        assertThat(new PropertyNames().all())
                .allSatisfy(name ->
                        assertThat(page).containsAnyOf("`" + name, "`" + name.substring(name.lastIndexOf('.'))));
    }

    /** Editors complete the fields of a rule from the class; rules are read by the rules of the schema. */
    @Test
    @SuppressWarnings("unchecked")
    void theFieldsOfARuleAreThoseOfTheRuleFile() throws IOException {
        assertThat(Objects.requireNonNull(properties().get("sluice.rules")).get("type"))
                .isEqualTo("java.util.List<dev.sluice.spring.RuleProperties>");
        Map<String, Object> schema = json("dev/sluice/rules/sluice-rules.schema.json", "rules");
        Map<String, Object> rule = (Map<String, Object>)
                Objects.requireNonNull(((Map<String, Object>) Objects.requireNonNull(schema.get("$defs"))).get("rule"));
        Map<String, Object> fields = (Map<String, Object>) Objects.requireNonNull(rule.get("properties"));
        assertThat(Stream.of(RuleProperties.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .map(name ->
                                name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT)))
                .containsExactlyInAnyOrderElementsOf(fields.keySet());
    }
}
