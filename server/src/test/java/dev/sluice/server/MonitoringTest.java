package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The page about metrics, the alerts and the board speak of metrics and labels that a real server has. */
class MonitoringTest {
    private static final Path EXAMPLES = Path.of("..", "examples", "monitoring");
    private static final Pattern ROW =
            Pattern.compile("^\\| `([a-z]\\w+)(?:\\{([\\w,]+)})?` \\| (†?)", Pattern.MULTILINE);
    private static final Pattern SELECTOR = Pattern.compile("\\b((?:sluice|jvm|process|system)_\\w+)(\\{[^}]*})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|!=|!~|=)\"([^\"]*)\"");
    private static final Pattern BY = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");
    /** What Prometheus adds to each series. */
    private static final Set<String> ADDED = Set.of("instance", "job");

    @TempDir
    static Path folder = Path.of("");

    private static Scrape scrape = new Scrape(Map.of(), Map.of());

    @BeforeAll
    static void scrape() throws Exception {
        scrape = Scrape.of(folder);
    }

    @Test
    void eachMetricIsDocumentedAndTheOtherWayRound() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "admin.md"));
        Map<String, Set<String>> documented = new TreeMap<>();
        Set<String> optional = new TreeSet<>();
        for (MatchResult row : ROW.matcher(page).results().toList()) {
            if (!row.group(1).contains("_") || row.group(1).startsWith("OTEL")) {
                continue;
            }
            Set<String> labels =
                    row.group(2) == null ? Set.of() : Set.of(row.group(2).split(","));
            assertThat(documented.put(row.group(1), new TreeSet<>(labels)))
                    .as("twice: " + row.group(1))
                    .isNull();
            if (!row.group(3).isEmpty()) {
                optional.add(row.group(1));
            }
        }
        Map<String, Set<String>> expected = new TreeMap<>(scrape.families());
        optional.forEach(name -> expected.putIfAbsent(name, documented.getOrDefault(name, Set.of())));
        assertThat(documented).isEqualTo(expected);
        assertThat(documented).hasSizeGreaterThan(80);
    }

    @Test
    @SuppressWarnings("unchecked")
    void theAlerts() throws IOException {
        Map<String, Object> file =
                (Map<String, Object>) new Load(LoadSettings.builder().build())
                        .loadFromString(Files.readString(EXAMPLES.resolve("alerts.yaml")));
        List<Map<String, Object>> groups = (List<Map<String, Object>>) Objects.requireNonNull(file.get("groups"));
        int alerts = 0;
        for (Map<String, Object> group : groups) {
            for (Map<String, Object> rule : (List<Map<String, Object>>) Objects.requireNonNull(group.get("rules"))) {
                alerts++;
                String query = String.valueOf(rule.get("expr"));
                assertThat(problems(query, String.valueOf(rule.get("annotations"))))
                        .as(String.valueOf(rule.get("alert")))
                        .isEmpty();
                assertThat(String.valueOf(rule.get("for"))).matches("null|\\d+[mh]");
            }
        }
        assertThat(alerts).isGreaterThan(10);
    }

    @Test
    void theBoard() throws IOException {
        JsonObject board = new JsonObject(Files.readString(EXAMPLES.resolve("dashboard.json")));
        JsonArray panels = board.getJsonArray("panels");
        for (Object panel : panels) {
            for (Object target : ((JsonObject) panel).getJsonArray("targets")) {
                JsonObject query = (JsonObject) target;
                assertThat(problems(query.getString("expr"), query.getString("legendFormat")))
                        .as(((JsonObject) panel).getString("title"))
                        .isEmpty();
            }
        }
        assertThat(panels).hasSizeGreaterThan(10);
        assertThat(board.getJsonObject("templating").encode()).contains("label_values(sluice_rules, instance)");
    }

    @Test
    void whatIsNotThereIsFound() {
        assertThat(problems(
                        "sum by (color) (rate(sluice_checks_total{outcome=\"purple\"}[5m])) + sluice_none",
                        "{{shape}}"))
                .containsExactlyInAnyOrder(
                        "sluice_checks_total has no outcome purple",
                        "there is no metric sluice_none",
                        "no metric of the query has the label color",
                        "no metric of the query has the label shape");
    }

    /** What a query and its legend speak of that no scrape has. */
    private static List<String> problems(String query, String legend) {
        List<String> problems = new ArrayList<>();
        Set<String> labels = new TreeSet<>(ADDED);
        for (MatchResult selector : SELECTOR.matcher(query).results().toList()) {
            Map<String, Set<String>> known = scrape.samples().get(selector.group(1));
            if (known == null) {
                problems.add("there is no metric " + selector.group(1));
                continue;
            }
            labels.addAll(known.keySet());
            String matchers = selector.group(2) == null ? "" : selector.group(2);
            MATCHER.matcher(matchers).results().forEach(matcher -> {
                if (ADDED.contains(matcher.group(1))) {
                    return;
                }
                Set<String> values = known.get(matcher.group(1));
                if (values == null) {
                    problems.add(selector.group(1) + " has no label " + matcher.group(1));
                } else if (matcher.group(2).equals("=") && !values.contains(matcher.group(3))) {
                    problems.add(selector.group(1) + " has no " + matcher.group(1) + " " + matcher.group(3));
                }
            });
        }
        List<String> named = new ArrayList<>();
        BY.matcher(query)
                .results()
                .forEach(by -> named.addAll(List.of(by.group(1).split(",\\s*"))));
        LEGEND.matcher(legend).results().forEach(label -> named.add(label.group(1)));
        named.stream()
                .filter(label -> !labels.contains(label))
                .forEach(label -> problems.add("no metric of the query has the label " + label));
        return problems;
    }
}
