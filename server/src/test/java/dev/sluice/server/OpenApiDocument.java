package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** An OpenAPI document that real responses are compared with. */
final class OpenApiDocument {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete");

    private final JsonNode root;
    private final Set<String> seen = new TreeSet<>();

    OpenApiDocument(String yaml) {
        this.root = JSON.valueToTree(new Load(LoadSettings.builder().build()).loadFromString(yaml));
    }

    /** Every documented response, as {@code get /path 200}; without those for every other status. */
    Set<String> responses() {
        Set<String> all = new TreeSet<>();
        root.get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().stream()
                        .filter(operation -> METHODS.contains(operation.getKey()))
                        .forEach(operation -> operation.getValue().get("responses").properties().stream()
                                .map(Map.Entry::getKey)
                                .filter(status -> !status.equals("default"))
                                .forEach(status -> all.add(operation.getKey() + " " + path.getKey() + " " + status))));
        return all;
    }

    /** The documented responses that {@link #check} has seen. */
    Set<String> seen() {
        return seen;
    }

    /** Checks that a response is documented: its status, its type, its header fields and its body. */
    void check(String method, String path, HttpResponse<String> response) {
        String template = template(path);
        JsonNode operation = root.get("paths").get(template).get(method);
        String status = Integer.toString(response.statusCode());
        String what = method + " " + path + " -> " + status + " " + response.body();
        assertThat(operation).as(what).isNotNull();
        JsonNode responses = operation.get("responses");
        JsonNode documented = resolved(responses.has(status) ? responses.get(status) : responses.get("default"));
        assertThat(documented).as(what).isNotNull();
        if (responses.has(status)) {
            seen.add(method + " " + template + " " + status);
        }
        if (documented.has("headers")) {
            documented.get("headers").properties().forEach(header -> {
                if (resolved(header.getValue()).path("required").asBoolean(false)) {
                    assertThat(response.headers().firstValue(header.getKey()))
                            .as(what)
                            .isPresent();
                }
            });
        }
        String type = response.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
        if (!documented.has("content")) {
            assertThat(response.body()).as(what).isEmpty();
            return;
        }
        assertThat(documented.get("content").propertyNames()).as(what).contains(type);
        JsonNode schema = documented.get("content").get(type).get("schema");
        JsonNode body = type.endsWith("json") ? JSON.readTree(response.body()) : StringNode.valueOf(response.body());
        assertThat(schema(schema).validate(body)).as(what).isEmpty();
    }

    /** A part of the document as a schema of its own, with the components that it refers to. */
    private Schema schema(JsonNode part) {
        ObjectNode whole = JSON.createObjectNode();
        whole.set("components", root.get("components"));
        whole.set("allOf", JSON.createArrayNode().add(part));
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(whole);
    }

    private JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? root.at(node.get("$ref").asString().substring(1)) : node;
    }

    /** The documented path with the most fixed parts that a path fits. */
    private String template(String path) {
        String plain = path.split("\\?", 2)[0];
        List<String> fits = new ArrayList<>();
        root.get("paths").propertyNames().forEach(template -> {
            if (plain.matches(template.replaceAll("\\{[^}]+}", "[^/]*"))) {
                fits.add(template);
            }
        });
        assertThat(fits).as("documented for " + path).isNotEmpty();
        return fits.stream()
                .min(Comparator.comparingLong(
                        fit -> fit.chars().filter(c -> c == '{').count()))
                .orElseThrow();
    }
}
