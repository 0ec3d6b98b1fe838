package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.envoy.file.EnvoyConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/migrate/envoy-ratelimit.md: its file and its rules, driven with one trace. */
final class EnvoyMigrationTest {
    private static final Path PAGE = Path.of("..", "docs", "migrate", "envoy-ratelimit.md");
    private static final Pattern YAML = Pattern.compile("^```yaml\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private final Clock clock = new Clock();

    private static List<String> snippets() throws Exception {
        return YAML.matcher(Files.readString(PAGE))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private RlsServer file() throws Exception {
        EnvoyLimits limits = new EnvoyLimits(
                Store.local(clock),
                OnFailure.LOCAL,
                EnvoyConfig.parse(Map.of("shop.yaml", snippets().get(0))),
                clock::micros);
        return new RlsServer(limits);
    }

    private RlsServer rules() throws Exception {
        Store store = Store.local(clock);
        return new RlsServer(new RuleLimits(
                new RuleEngine(store, RuleFile.parse("rules.yaml", snippets().get(1))),
                new WindowCounter.Factory(store, OnFailure.LOCAL),
                null));
    }

    /** What the documentation of envoyproxy/ratelimit says: windows of the clock's minutes, each address by itself. */
    private static final String SAME = """
            30   | remote_address=192.0.2.1                | OK: 2/3 MINUTE 30s
            40   | remote_address=192.0.2.1                | OK: 1/3 MINUTE 20s
            41   | remote_address=192.0.2.1                | OK: 0/3 MINUTE 19s
            42   | remote_address=192.0.2.1                | OVER_LIMIT: 0/3 MINUTE 18s
            43   | remote_address=192.0.2.2                | OK: 2/3 MINUTE 17s
            44   | path=/login,remote_address=192.0.2.1 x2 | OK: 0/2 MINUTE 16s
            45   | path=/login,remote_address=192.0.2.1    | OVER_LIMIT: 0/2 MINUTE 15s
            60   | remote_address=192.0.2.1                | OK: 2/3 MINUTE 60s
            61   | path=/login,remote_address=192.0.2.1    | OK: 1/2 MINUTE 59s
            """;

    @Test
    void theFileDecidesAsDocumented() throws Exception {
        try (RlsServer server = file()) {
            Trace.check(server, clock, "shop", SAME);
        }
    }

    @Test
    void theRulesDecideAsTheFile() throws Exception {
        try (RlsServer server = rules()) {
            Trace.check(server, clock, "shop", SAME);
        }
    }

    /** The page: hits past the limit. */
    @Test
    void onlyWithRulesADeniedRequestTakesNothing() throws Exception {
        try (RlsServer server = file()) {
            Trace.check(server, clock, "shop", """
                    0    | remote_address=192.0.2.1 x2  | OK: 1/3 MINUTE 60s
                    0    | remote_address=192.0.2.1 x2  | OVER_LIMIT: 0/3 MINUTE 60s
                    0    | remote_address=192.0.2.1     | OVER_LIMIT: 0/3 MINUTE 60s
                    """);
        }
        try (RlsServer server = rules()) {
            Trace.check(server, clock, "shop", """
                    0    | remote_address=192.0.2.1 x2  | OK: 1/3 MINUTE 60s
                    0    | remote_address=192.0.2.1 x2  | OVER_LIMIT: 1/3 MINUTE 60s
                    0    | remote_address=192.0.2.1     | OK: 0/3 MINUTE 60s
                    """);
        }
    }

    @Test
    void thePageHasTheFileAndTheRules() throws Exception {
        assertThat(snippets()).hasSize(2);
    }
}
