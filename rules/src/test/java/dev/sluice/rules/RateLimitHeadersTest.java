package dev.sluice.rules;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RateLimitHeadersTest {
    static Stream<Arguments> policies() {
        return Stream.of(
                Arguments.of(Limit.slidingLog(5, ofMinutes(1)), "q=5;w=60"),
                Arguments.of(Limit.slidingWindow(5, ofMinutes(1)), "q=5;w=60"),
                Arguments.of(Limit.fixedWindow(5, ChronoUnit.DAYS, ZoneOffset.UTC), "q=5;w=86400"),
                Arguments.of(Limit.fixedWindow(5, ofMillis(1500)), "q=5"),
                Arguments.of(Limit.tokenBucket(10, ofSeconds(1)), "q=10;w=1"),
                Arguments.of(Limit.tokenBucket(10, ofSeconds(1)).burst(20), "q=20;w=2"),
                Arguments.of(Limit.tokenBucket(10, ofSeconds(1)).burst(15), "q=15"),
                Arguments.of(Limit.leakyBucket(1, ofSeconds(2)).capacity(3), "q=3;w=6"),
                Arguments.of(Limit.concurrency(20), "q=20;qu=\"concurrent-requests\""),
                Arguments.of(Limit.fixedWindow(Limit.MAX_PERMITS, ofSeconds(1)), "q=999999999999999;w=1"));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void aPolicy(Limit limit, String parameters) {
        assertThat(policy("api", limit)).isEqualTo("\"api\";" + parameters);
    }

    @Test
    void severalLimitsOfARule() {
        assertThat(policy("api", Limit.slidingLog(5, ofMinutes(1)), Limit.concurrency(2)))
                .isEqualTo("\"api\";q=5;w=60, \"api:2\";q=2;qu=\"concurrent-requests\"");
    }

    @ParameterizedTest
    @CsvSource({"per ip,\"per ip\"", "a\"b\\c,\"a\\\"b\\\\c\"", "größe,\"gr%C3%B6%C3%9Fe\"", "😀,\"%F0%9F%98%80\""})
    void aNameIsAString(String name, String written) {
        assertThat(policy(name, Limit.slidingLog(5, ofMinutes(1)))).isEqualTo(written + ";q=5;w=60");
    }

    @Test
    void theState() {
        LimiterDecision allowed = LimiterDecision.allowed(1, 5, 4, 12_000_001);
        LimiterDecision denied = LimiterDecision.denied(Outcome.DENIED, 1, 5, 0, 1, 60_000_000);
        Decision never = LimiterDecision.denied(Outcome.NEVER, 9, 5, 5, Decision.NEVER_MICROS, 0);
        Decision held = LimiterDecision.allowed(1, 2, 1, Decision.NEVER_MICROS);
        assertThat(state(allowed, false)).isEqualTo("\"api\";r=4;t=13");
        assertThat(state(allowed, true)).isEqualTo("\"api\";r=4");
        assertThat(state(denied, true)).isEqualTo("\"api\";r=0;t=1");
        assertThat(state(never, true)).isEqualTo("\"api\";r=5");
        assertThat(state(held, false)).isEqualTo("\"api\";r=1");
        assertThat(state(denied.withParts(List.of(allowed, denied)), true)).isEqualTo("\"api\";r=4, \"api:2\";r=0;t=1");
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "999999,1", "1000000,1", "1000001,2", "9223372036854775807,9223372036855"})
    void secondsAreNeverTooEarly(long micros, long seconds) {
        assertThat(RateLimitHeaders.seconds(micros)).isEqualTo(seconds);
    }

    @Test
    void onePolicyByItsNumbers() {
        assertThat(RateLimitHeaders.policy("api", 5, 60)).isEqualTo("\"api\";q=5;w=60");
        assertThat(RateLimitHeaders.policy("api", 5, 0)).isEqualTo("\"api\";q=5");
        assertThat(RateLimitHeaders.state("api", 0, 23)).isEqualTo("\"api\";r=0;t=23");
        assertThat(RateLimitHeaders.state("api", 5, 0)).isEqualTo("\"api\";r=5");
    }

    private static String policy(String rule, Limit... limits) {
        StringBuilder field = new StringBuilder();
        RateLimitHeaders.policies(field, rule, List.of(limits));
        return field.toString();
    }

    private static String state(Decision decision, boolean denied) {
        StringBuilder field = new StringBuilder();
        RateLimitHeaders.states(field, "api", decision, denied);
        return field.toString();
    }

    @Test
    void anyNameIsWrittenAsCharacterByCharacter() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder name = new StringBuilder();
            for (int length = random.nextInt(12); length > 0; length--) {
                switch (random.nextInt(4)) {
                    case 0 -> name.append((char) random.nextInt(0x100));
                    case 1 -> name.append("\"\\%:, ;".charAt(random.nextInt(7)));
                    case 2 -> name.append((char) (0xD7F0 + random.nextInt(0x820)));
                    default -> name.append((char) ('a' + random.nextInt(26)));
                }
            }
            assertThat(RateLimitHeaders.state(name.toString(), 1, 0))
                    .isEqualTo(characterByCharacter(name.toString()) + ";r=1");
        }
    }

    private static String characterByCharacter(String name) {
        StringBuilder written = new StringBuilder("\"");
        name.codePoints().forEach(point -> {
            if (point == '"' || point == '\\') {
                written.append('\\').append((char) point);
            } else if (point >= ' ' && point < 0x7f) {
                written.append((char) point);
            } else {
                for (byte each : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
                    written.append(String.format("%%%02X", each));
                }
            }
        });
        return written.append('"').toString();
    }
}
