package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.file.RuleFile;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;

/** The manifests under examples/kubernetes fit each other and the command line. */
class KubernetesExampleTest {
    private static final Path FOLDER = Path.of("..", "examples", "kubernetes");

    private final Map<String, JsonObject> manifests = new LinkedHashMap<>();

    @BeforeEach
    void read() throws Exception {
        JsonObject all = yaml(Files.readString(FOLDER.resolve("kustomization.yaml")))
                .findFirst()
                .orElseThrow();
        for (Object file : all.getJsonArray("resources")) {
            yaml(Files.readString(FOLDER.resolve(file.toString())))
                    .forEach(each -> manifests.put(
                            each.getString("kind") + "/"
                                    + each.getJsonObject("metadata").getString("name"),
                            each));
        }
    }

    private static Stream<JsonObject> yaml(String text) {
        Stream.Builder<JsonObject> all = Stream.builder();
        for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(text)) {
            all.add(new JsonObject(Map.copyOf(asMap(document))));
        }
        return all.build();
    }

    @SuppressWarnings("unchecked") // the keys of a manifest are strings
    private static Map<String, Object> asMap(Object document) {
        return (Map<String, Object>) document;
    }

    private JsonObject at(String manifest, String... path) {
        JsonObject json = manifests.getOrDefault(manifest, new JsonObject());
        for (String name : path) {
            json = json.getJsonObject(name);
        }
        return json;
    }

    private JsonObject pod() {
        return at("Deployment/sluice", "spec", "template", "spec");
    }

    private JsonObject container() {
        return pod().getJsonArray("containers").getJsonObject(0);
    }

    @Test
    void thereIsOneOfEachKind() {
        assertThat(manifests)
                .containsOnlyKeys(
                        "ConfigMap/sluice-rules",
                        "Deployment/sluice",
                        "Service/sluice",
                        "Service/sluice-admin",
                        "NetworkPolicy/sluice",
                        "PodDisruptionBudget/sluice");
    }

    @Test
    void theRulesOfTheConfigMapAreRules() {
        String rules = at("ConfigMap/sluice-rules", "data").getString("rules.yaml");
        assertThat(RuleFile.parse("rules.yaml", rules).rules()).hasSize(2);
    }

    @Test
    void everyVariableIsAnOption() {
        Set<String> options = new CommandLine(new ServeCommand())
                .getCommandSpec().options().stream().map(Variables::nameOf).collect(Collectors.toSet());
        List<String> names = container().getJsonArray("env").stream()
                .map(each -> ((JsonObject) each).getString("name"))
                .filter(name -> !name.equals("SLUICE_JAVA_OPTS"))
                .toList();
        assertThat(names).isNotEmpty().isSubsetOf(options);
        assertThat(pod().getBoolean("enableServiceLinks"))
                .as("or SLUICE_PORT is a URL")
                .isFalse();
    }

    @Test
    void everyoneSelectsThePods() {
        JsonObject labels = at("Deployment/sluice", "spec", "template", "metadata", "labels");
        assertThat(at("Deployment/sluice", "spec", "selector", "matchLabels")).isEqualTo(labels);
        assertThat(at("Service/sluice", "spec", "selector")).isEqualTo(labels);
        assertThat(at("Service/sluice-admin", "spec", "selector")).isEqualTo(labels);
        assertThat(at("NetworkPolicy/sluice", "spec", "podSelector", "matchLabels"))
                .isEqualTo(labels);
        assertThat(at("PodDisruptionBudget/sluice", "spec", "selector", "matchLabels"))
                .isEqualTo(labels);
    }

    @Test
    void portsProbesAndVolumesHaveTheirNames() {
        assertThat(container().getJsonArray("ports").encode())
                .isEqualTo("[{\"name\":\"http\",\"containerPort\":8080},{\"name\":\"admin\",\"containerPort\":8081}]");
        for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            JsonObject get = container().getJsonObject(probe).getJsonObject("httpGet");
            assertThat(get.getString("port")).isEqualTo("http");
            assertThat(get.getString("path")).isIn("/readyz", "/healthz");
        }
        assertThat(names("volumeMounts", container())).isEqualTo(names("volumes", pod()));
        int grace = container().getJsonArray("env").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("name").equals("SLUICE_GRACE"))
                .mapToInt(each -> Integer.parseInt(each.getString("value")))
                .sum();
        assertThat(pod().getInteger("terminationGracePeriodSeconds")).isGreaterThan(grace + 10);
    }

    private static List<String> names(String list, JsonObject in) {
        return in.getJsonArray(list).stream()
                .map(each -> ((JsonObject) each).getString("name"))
                .toList();
    }
}
