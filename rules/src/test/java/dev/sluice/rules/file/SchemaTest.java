package dev.sluice.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.sluice.rules.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The schema for editors says what the parser says, as far as a schema can. */
class SchemaTest {
    private static final Schema SCHEMA = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(Objects.requireNonNull(RuleSet.class.getResourceAsStream("sluice-rules.schema.json")));

    static List<Sample> good() {
        List<Sample> good = new ArrayList<>(Sample.all("good"));
        good.add(new Sample("example-rules.yaml", RuleFile.exampleText()));
        return good;
    }

    static List<Sample> bad() {
        return Sample.all("bad").stream()
                .filter(sample -> !sample.passesSchema())
                .toList();
    }

    private static JsonNode json(String yaml) {
        LoadSettings settings = LoadSettings.builder().build();
        return new JsonMapper().valueToTree(new Load(settings).loadFromString(yaml));
    }

    @ParameterizedTest
    @MethodSource("good")
    void whatIsGoodValidates(Sample sample) {
        assertThat(SCHEMA.validate(json(sample.text()))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("bad")
    void whatIsBadDoesNot(Sample sample) {
        assertThat(SCHEMA.validate(json(sample.text()))).isNotEmpty();
    }
}
