package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Envoys that are answered by a rule file. */
final class RuleLimitsTest {
    private static final String RULES = """
            store: memory
            rules:
              - name: login
                when: { domain: edge, path: /login }
                key: [ip]
                limits: [3 per 1m sliding-log]
              - name: tenants
                when: { domain: edge }
                key: [tenant]
                limits: [10 per 1s token-bucket, 12 per 1h fixed-window]
              - name: odd
                when: { domain: odd }
                key: [a]
                limits: [5 per 90s sliding-log]
              - name: watched
                when: { domain: watched }
                key: [a]
                limits: [1 per 1m sliding-log]
                on-exceed: shadow
              - name: twice
                when: { domain: twice, generic_key: x }
                key: [generic_key.2]
                limits: [1 per 1m sliding-log]
            """;

    private final Clock clock = new Clock();
    private RlsServer server;

    @BeforeEach
    void start() throws Exception {
        Store store = Store.local(clock);
        clock.to("1");
        server = new RlsServer(new RuleLimits(
                new RuleEngine(store, RuleFile.parse("rules.yaml", RULES)),
                new WindowCounter.Factory(store, OnFailure.LOCAL),
                null));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void entriesAreAttributes() {
        Trace.check(server, clock, "edge", """
                1     | ip=192.0.2.1,path=/login x2           | OK: 1/3 MINUTE 60s
                1     | ip=192.0.2.1,path=/login x2           | OVER_LIMIT: 1/3 MINUTE 60s
                1     | ip=192.0.2.1,path=/login              | OK: 0/3 MINUTE 60s
                2     | ip=192.0.2.1,path=/login              | OVER_LIMIT: 0/3 MINUTE 59s
                2     | ip=192.0.2.2,path=/login              | OK: 2/3 MINUTE 60s
                2     | ip=192.0.2.1,path=/other              | OK: -
                61    | ip=192.0.2.1,path=/login              | OK: 2/3 MINUTE 60s
                """);
        Trace.check(server, clock, "elsewhere", "61 | ip=192.0.2.1,path=/login x100 | OK: -");
    }

    /** An Envoy that fails open would let a request through whose descriptors are refused. */
    @Test
    void aLongValueIsCountedAndNotRefused() {
        String tenant = "t".repeat(20_000);
        for (int i = 0; i < 10; i++) {
            assertThat(ask("edge", "tenant=" + tenant).getOverallCode()).isEqualTo(RateLimitResponse.Code.OK);
        }
        assertThat(ask("edge", "tenant=" + tenant).getOverallCode()).isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
        assertThat(ask("edge", "tenant=" + tenant + "2").getOverallCode()).isEqualTo(RateLimitResponse.Code.OK);
        String path = "/" + "x".repeat(20_000) + "/../login";
        assertThat(Trace.show(ask("edge", "ip=192.0.2.9,path=" + path))).isEqualTo("OK: 2/3 MINUTE 60s");
    }

    @Test
    void aPathThatWasMadeToBeMisreadIsOverTheLimit() {
        RateLimitResponse response = ask("edge", "ip=192.0.2.8,path=//a%252f;\\..//../b#c;%5cd%3fe");
        assertThat(response.getOverallCode()).isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
    }

    @Test
    void theAddressThatEnvoySeesIsTheOnlyOne() {
        for (int i = 0; i < 3; i++) {
            assertThat(ask("edge", "ip=192.0.2." + i + ",remote_address=192.0.2.77,path=/login")
                            .getOverallCode())
                    .isEqualTo(RateLimitResponse.Code.OK);
        }
        assertThat(ask("edge", "ip=192.0.2.3,remote_address=192.0.2.77,path=/login")
                        .getOverallCode())
                .isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
    }

    @Test
    void theAddressThatEnvoySeesIsTheIp() {
        Trace.check(server, clock, "edge", """
                1     | remote_address=2001:db8::1,path=/login x3    | OK: 0/3 MINUTE 60s
                1     | remote_address=2001:db8::2,path=/login       | OVER_LIMIT: 0/3 MINUTE 60s
                1     | remote_address=2001:db8:0:1::2,path=/login   | OK: 2/3 MINUTE 60s
                """);
    }

    @Test
    void theTightestOfSeveralLimits() {
        Trace.check(server, clock, "edge", """
                1     | tenant=a x9                   | OK: 1/10 SECOND 1s
                2     | tenant=a x3                   | OK: 0/12 HOUR 3599s
                3     | tenant=a                      | OVER_LIMIT: 0/12 HOUR 3598s
                """);
    }

    @Test
    void aDeniedRequestTakesNothing() {
        Trace.check(server, clock, "edge", """
                1     | ip=192.0.2.1,path=/login x3                   | OK: 0/3 MINUTE 60s
                1     | tenant=a x8 ; ip=192.0.2.1,path=/login        | OVER_LIMIT: OK 10/10 SECOND 1s, 0/3 MINUTE 60s
                1     | tenant=a x8                           | OK: 2/10 SECOND 1s
                1     | tenant=a x5 ; tenant=b                | OVER_LIMIT: 4/12 HOUR 3600s, OK 10/10 SECOND 1s
                1     | tenant=a x2 ; tenant=b x10            | OK: 0/10 SECOND 1s, 0/10 SECOND 1s
                """);
    }

    @Test
    void noHitsOnlyAsk() {
        Trace.check(server, clock, "edge", """
                1     | ip=192.0.2.1,path=/login x0           | OK: 3/3 MINUTE 60s
                1     | ip=192.0.2.1,path=/login x3           | OK: 0/3 MINUTE 60s
                1     | ip=192.0.2.1,path=/login x0           | OVER_LIMIT: 0/3 MINUTE 60s
                """);
    }

    @Test
    void aLimitOfTheDescriptorsOwn() {
        RateLimitResponse first = ask("edge", "ip=192.0.2.1,path=/login x3 @4/DAY");
        assertThat(first.getStatuses(0).getLimitRemaining()).isEqualTo(1);
        assertThat(ask("edge", "ip=192.0.2.1,path=/login x3 @4/DAY").getOverallCode())
                .isEqualTo(RateLimitResponse.Code.OVER_LIMIT);
        assertThat(Trace.show(ask("edge", "ip=192.0.2.1,path=/login"))).isEqualTo("OK: 2/3 MINUTE 60s");
    }

    @Test
    void aPeriodThatEnvoyHasNoUnitFor() {
        RateLimitResponse response = ask("odd", "a=1");
        assertThat(Trace.show(response)).isEqualTo("OK: 4/5 UNKNOWN 90s");
        assertThat(response.getStatuses(0).getCurrentLimit().getName()).isEqualTo("odd");
        assertThat(headers(response)).isEqualTo("RateLimit-Policy: \"odd\";q=5;w=90, RateLimit: \"odd\";r=4;t=90");
        assertThat(headers(ask("odd", "a=1 x5")))
                .isEqualTo("RateLimit-Policy: \"odd\";q=5;w=90, RateLimit: \"odd\";r=4;t=90, Retry-After: 90");
        assertThat(headers(ask("odd", "a=1 x6")))
                .as("never")
                .isEqualTo("RateLimit-Policy: \"odd\";q=5;w=90, RateLimit: \"odd\";r=4");
    }

    @Test
    void aRuleThatOnlyWatches() {
        assertThat(Trace.show(ask("watched", "a=1"))).isEqualTo("OK: 0/1 MINUTE 60s");
        assertThat(Trace.show(ask("watched", "a=1"))).isEqualTo("OK: 0/1 MINUTE 60s");
    }

    @Test
    void theSecondEntryOfAKey() {
        assertThat(Trace.show(ask("twice", "generic_key=x,generic_key=y"))).isEqualTo("OK: 0/1 MINUTE 60s");
        assertThat(Trace.show(ask("twice", "generic_key=x,generic_key=y"))).isEqualTo("OVER_LIMIT: 0/1 MINUTE 60s");
        assertThat(Trace.show(ask("twice", "generic_key=x"))).isEqualTo("OK: -");
    }

    @Test
    void attributesThatRulesCannotTake() {
        StatusRuntimeException refusal =
                catchThrowableOfType(StatusRuntimeException.class, () -> ask("edge", "a".repeat(200) + "=1"));
        assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal.getStatus().getDescription())
                .startsWith("descriptors[0]: the name of an attribute has 1 to 128 characters");
    }

    private RateLimitResponse ask(String domain, String descriptor) {
        return server.client()
                .shouldRateLimit(RateLimitRequest.newBuilder()
                        .setDomain(domain)
                        .addDescriptors(Trace.descriptor(descriptor))
                        .build());
    }

    private static String headers(RateLimitResponse response) {
        return response.getResponseHeadersToAddList().stream()
                .map(header -> header.getKey() + ": " + header.getValue())
                .collect(Collectors.joining(", "));
    }
}
