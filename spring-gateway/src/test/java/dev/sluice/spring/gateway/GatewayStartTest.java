package dev.sluice.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;

/** Gateways that start, and those that do not. */
@SuppressWarnings("NullAway.Init")
@Tag("slow")
class GatewayStartTest {
    @TempDir
    Path folder;

    /** The argument of a route, and what is said of it. */
    private static final Map<String, String> MISTAKES = Map.of(
            "sluice-rate-limiter.limits=2 pr 10s",
            "sluice-rate-limiter.limits: expected a limit such as '5 per 1m'",
            "sluice-rate-limiter.limits=1 at once",
            "[1 at once] holds permits until a request has ended",
            "sluice-rate-limiter.rule=nope",
            "there is no rule named 'nope'; known are named, held",
            "sluice-rate-limiter.rule=held",
            "[1 at once] holds permits",
            "sluice-rate-limiter.limts=2 per 10s",
            "sluice-rate-limiter.limts: there is no such argument; known are limits, rule, on-store-failure; did you mean "
                    + "'limits'?",
            "sluice-rate-limitr.limits=2 per 10s",
            "sluice-rate-limitr.limits: expected sluice-rate-limiter.limits, .rule or .on-store-failure",
            "redis-rate-limiter.replenishRate=2",
            "expected sluice-rate-limiter.limits such as '5 per 1m', or sluice-rate-limiter.rule, the name of a rule; "
                    + "there is neither, but redis-rate-limiter.replenishRate",
            "_genkey_0=5 per 1m",
            "expected sluice-rate-limiter.limits such as '5 per 1m', or sluice-rate-limiter.rule, the name of a rule; "
                    + "there is neither, but '5 per 1m' without a name",
            "sluice-rate-limiter.limits.0=2 pr 10s",
            "sluice-rate-limiter.limits: expected a limit such as '5 per 1m'",
            "sluice-rate-limiter.on-store-failure=allow",
            "expected sluice-rate-limiter.limits such as '5 per 1m', or sluice-rate-limiter.rule, the name of a rule; "
                    + "there is neither, but sluice-rate-limiter.on-store-failure");

    @Test
    void mistakesEndTheStartAndEachIsNamed() {
        List<List<String>> routes = new ArrayList<>();
        List<String> problems = new ArrayList<>(List.of("'2 pr 10s'"));
        MISTAKES.forEach((argument, problem) -> {
            String id = "r" + routes.size();
            routes.add(RunningGateway.route(routes.size(), id, argument));
            problems.add("route '" + id + "': " + problem);
        });
        String limits = "sluice-rate-limiter.limits=2 per 10s";
        routes.add(RunningGateway.route(routes.size(), "both", limits, "sluice-rate-limiter.rule=named"));
        routes.add(RunningGateway.route(routes.size(), "policy", limits, "sluice-rate-limiter.on-store-failure=alow"));
        problems.addAll(List.of(
                "route 'both': ",
                "there is both",
                "route 'policy': sluice-rate-limiter.on-store-failure: expected ",
                "allow",
                "was 'alow'"));
        assertThatThrownBy(() ->
                        new RunningGateway(routes.stream().flatMap(List::stream).toList()).close())
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContainingAll(problems.toArray(String[]::new));
    }

    /** Where a gateway has but one mistake, it ends the start as well. */
    @Test
    void oneMistakeIsEnough() {
        assertThatThrownBy(() ->
                        new RunningGateway(RunningGateway.route(0, "wrong", "sluice-rate-limiter.rule=nope")).close())
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContaining("route 'wrong': there is no rule named 'nope'; known are named, held");
    }

    private Path exampleOfTheDocs() throws IOException {
        String example = Pattern.compile("^```yaml\\n(spring:.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../docs/spring.md")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.joining("---\n"));
        return Files.writeString(folder.resolve("application.yml"), example);
    }

    /** What docs/spring.md shows of the gateway. */
    @Test
    void theExampleOfTheDocsStarts() throws Exception {
        try (RunningGateway other = new RunningGateway(List.of("--spring.config.location=" + exampleOfTheDocs()))) {
            assertThat(other.bean(RuleRegistry.class).rule("gateway:shop")).isNotNull();
            assertThat(other.bean(SluiceRateLimiter.class)
                            .isAllowed("shop", "ann")
                            .map(RateLimiter.Response::isAllowed)
                            .block())
                    .isTrue();
        }
    }

    /** A YAML list: the gateway numbers its items. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void severalLimitsAsAList(CapturedOutput output) throws Exception {
        String limits = "sluice-rate-limiter.limits.";
        try (RunningGateway gateway = new RunningGateway(
                RunningGateway.route(0, "r0", limits + "0=5 per 1h", limits + "1=2 per 1d"),
                List.of("--logging.level.dev.sluice.spring=info"))) {
            assertThat(gateway.statuses(3, "/r0/a", "ann")).containsExactly(200, 200, 429);
            assertThat(output).contains("Sluice: store: memory; rules: 2 and 1 of routes");
        }
    }

    /** The rule of docs/spring.md, which two routes share, and its key, which only the key resolver knows. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aRuleOfTheDocsThatRoutesName(CapturedOutput output) throws Exception {
        String page = Files.readString(Path.of("../docs/spring.md"));
        String yaml = page.substring(page.lastIndexOf("  rules:\n", page.indexOf("name: per-api-key")));
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"),
                yaml.substring(0, yaml.indexOf("```")).stripIndent());
        String named = "sluice-rate-limiter.rule=per-api-key";
        try (RunningGateway gateway = new RunningGateway(
                RunningGateway.route(0, "r0", named),
                RunningGateway.route(1, "r1", named),
                List.of("--sluice.rules=" + rules))) {
            assertThat(gateway.statuses(60, "/r0/a", "ann")).containsOnly(200);
            assertThat(gateway.statuses(41, "/r1/a", "ann")).contains(200, 429);
            assertThat(gateway.get("/open/nothing").statusCode()).isEqualTo(404);
            assertThat(output).doesNotContain("nothing sets the attribute");
        }
    }

    /** The gateway's own CORS headers are on refusals by rules and by routes. */
    @Test
    void refusalsHaveTheHeadersOfGlobalCors() throws Exception {
        String origin = "https://shop.example";
        try (RunningGateway gateway = new RunningGateway(
                RunningGateway.route(0, "r0", "sluice-rate-limiter.limits=1 per 1h"),
                RunningGateway.open(1, "r1"),
                List.of(
                        "--spring.cloud.gateway.server.webflux.globalcors.cors-configurations.[/**].allowed-origins="
                                + origin,
                        "--sluice.rules[2].name=web",
                        "--sluice.rules[2].when.path=/r1/**",
                        "--sluice.rules[2].limits=1 per 1h"))) {
            for (String path : List.of("/r0/a", "/r1/a")) {
                for (int status : List.of(200, 429)) {
                    HttpResponse<String> response = gateway.get(path, "X-User", "ann", "Origin", origin);
                    assertThat(response.statusCode()).isEqualTo(status);
                    assertThat(response.headers().allValues("Access-Control-Allow-Origin"))
                            .containsExactly(origin);
                }
            }
        }
    }

    @Test
    void defaultFiltersLimitEachRouteApart() throws Exception {
        String filter = "--spring.cloud.gateway.server.webflux.default-filters[0].";
        try (RunningGateway gateway = new RunningGateway(
                RunningGateway.open(0, "r0"),
                RunningGateway.open(1, "r1"),
                List.of(filter + "name=RequestRateLimiter", filter + "args.[sluice-rate-limiter.limits]=1 per 1h"))) {
            assertThat(gateway.statuses(2, "/r0/a", "ann")).containsExactly(200, 429);
            assertThat(gateway.statuses(2, "/r1/a", "ann")).containsExactly(200, 429);
        }
    }

    /** The example and the keys beside it, and nothing else. What is behind the gateway is not there. */
    @Test
    void theExampleOfTheDocsLimits() throws Exception {
        try (RunningGateway gateway = new RunningGateway(List.of(
                "--spring.config.location=" + exampleOfTheDocs(),
                "--test.key-by-user=false",
                "--spring.main.sources=" + GatewayKeys.class.getName()))) {
            assertThat(gateway.statuses(60, "/shop/a", "ann")).contains(429).doesNotContain(403);
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aRouteWhoseRequestsHaveNoKeyIsToldOf(CapturedOutput output) throws Exception {
        String limits = "sluice-rate-limiter.limits=1 per 1h";
        try (RunningGateway gateway = new RunningGateway(
                RunningGateway.route(0, "shop", limits, "deny-empty-key=false"),
                RunningGateway.route(1, "all", limits),
                RunningGateway.route(2, "strict", limits, "denyEmptyKey=true"),
                List.of(
                        "--test.key-by-user=false",
                        "--spring.cloud.gateway.server.webflux.filter.request-rate-limiter.deny-empty-key=false"))) {
            assertThat(gateway.statuses(2, "/shop/a", "ann")).containsExactly(200, 200);
            assertThat(gateway.statuses(2, "/all/a", "ann")).containsExactly(200, 200);
            assertThat(gateway.statuses(1, "/strict/a", "ann")).containsExactly(403);
            assertThat(warnings(output))
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .contains(
                                            "route 'shop': requests without a key are not limited",
                                            "Define a bean of type KeyResolver"),
                            line -> assertThat(line).contains("route 'all': requests without a key are not limited"));
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aRouteWithAKeyResolverIsNotToldOf(CapturedOutput output) throws Exception {
        String limits = "sluice-rate-limiter.limits=1 per 1h";
        try (RunningGateway gateway =
                new RunningGateway(RunningGateway.route(0, "shop", limits, "deny-empty-key=false"))) {
            assertThat(gateway.statuses(2, "/shop/a", "ann")).containsExactly(200, 429);
            assertThat(warnings(output)).isEmpty();
        }
    }

    /** The page goes on from the example with the keys, so that who copies the one sees the other. */
    @Test
    void theKeysAreBesideTheExampleOfTheDocs() throws Exception {
        String page = Files.readString(Path.of("../docs/spring.md"));
        String[] blocks =
                page.substring(page.indexOf("- name: RequestRateLimiter")).split("```", 4);
        assertThat(blocks[0]).doesNotContain("deny-empty-key");
        assertThat(blocks[2]).startsWith("java\n").contains("class GatewayKeys");
    }

    private static List<String> warnings(CapturedOutput output) {
        return output.getOut()
                .lines()
                .filter(line -> line.contains("without a key"))
                .toList();
    }
}
