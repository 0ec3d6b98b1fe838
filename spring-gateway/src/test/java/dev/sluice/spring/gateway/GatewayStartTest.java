package dev.sluice.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spring.RateLimitConfigurationException;
import dev.sluice.spring.RuleRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;

/** Gateways that start, and those that do not. */
@SuppressWarnings("NullAway.Init")
@Tag("slow")
class GatewayStartTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    sluice-rate-limiter.limits=2 pr 10s            | route 'wrong': sluice-rate-limiter.limits: expected a limit such as '5 per 1m'
                    sluice-rate-limiter.limits=2 pr 10s            | '2 pr 10s'
                    sluice-rate-limiter.limits=1 at once           | route 'wrong': [1 at once] holds permits until a request has ended
                    sluice-rate-limiter.rule=nope                  | route 'wrong': there is no rule named 'nope'; known are named, held
                    sluice-rate-limiter.rule=held                  | route 'wrong': [1 at once] holds permits
                    sluice-rate-limiter.limts=2 per 10s            | route 'wrong': sluice-rate-limiter.limts: there is no such argument; known are limits, rule, on-store-failure; did you mean 'limits'?
                    sluice-rate-limitr.limits=2 per 10s            | route 'wrong': sluice-rate-limitr.limits: expected sluice-rate-limiter.limits, .rule or .on-store-failure
                    redis-rate-limiter.replenishRate=2             | route 'wrong': expected sluice-rate-limiter.limits such as '5 per 1m', or sluice-rate-limiter.rule, the name of a rule; there is neither, but redis-rate-limiter.replenishRate
                    sluice-rate-limiter.on-store-failure=allow     | there is neither, but sluice-rate-limiter.on-store-failure
                    """)
    void aMistakeEndsTheStart(String argument, String message) {
        assertThatThrownBy(() -> new RunningGateway(RunningGateway.route(0, "wrong", argument)).close())
                .isInstanceOf(RateLimitConfigurationException.class)
                .hasMessageContaining(message);
    }

    @Test
    void everyMistakeIsNamedAtOnce() {
        String limits = "sluice-rate-limiter.limits=2 per 10s";
        assertThatThrownBy(() -> new RunningGateway(
                                RunningGateway.route(0, "one", "sluice-rate-limiter.limits=2 pr 10s"),
                                RunningGateway.route(1, "two", limits, "sluice-rate-limiter.rule=named"),
                                RunningGateway.route(2, "three", limits, "sluice-rate-limiter.on-store-failure=alow"))
                        .close())
                .hasMessageContaining("route 'one': ")
                .hasMessageContaining("route 'two': ")
                .hasMessageContaining("there is both")
                .hasMessageContaining("route 'three': sluice-rate-limiter.on-store-failure: expected ")
                .hasMessageContaining("allow")
                .hasMessageContaining("was 'alow'");
    }

    /** What docs/spring.md shows of the gateway. */
    @Test
    void theExampleOfTheDocsStarts() throws Exception {
        String example = Pattern.compile("^```yaml\\n(spring:.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../docs/spring.md")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.joining("---\n"));
        Path file = Files.writeString(folder.resolve("application.yml"), example);
        try (RunningGateway other = new RunningGateway(List.of("--spring.config.location=" + file))) {
            assertThat(other.bean(RuleRegistry.class).rule("gateway:shop")).isNotNull();
            assertThat(other.bean(SluiceRateLimiter.class)
                            .isAllowed("shop", "ann")
                            .map(RateLimiter.Response::isAllowed)
                            .block())
                    .isTrue();
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
}
