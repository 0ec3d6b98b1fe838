package dev.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class QuotaExceededTest {
    private static final Limit LIMIT = Limit.slidingLog(5, Duration.ofMinutes(1));

    private static Verdict denied(String name, Decision decision) {
        Rule rule = Rule.named(name).limits(LIMIT).build();
        return Verdict.of(List.of(new RuleDecision(rule, name, "key", 100, Limiter.local(LIMIT), "", decision, null)));
    }

    @Test
    void theBodyHasAllMembersInTheirOrder() {
        Decision decision = LimiterDecision.denied(Outcome.DENIED, 1, 5, 0, 22_500_001, 60_000_000);
        assertThat(QuotaExceeded.json(denied("login", decision)))
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                        + "\"status\":429,\"detail\":\"rule login: 0 of 5 left; try again in 23 s\","
                        + "\"violated-policies\":[\"login\"],\"allowed\":false,\"rule\":\"login\",\"limit\":5,"
                        + "\"remaining\":0,\"retryAfterMs\":22501,\"resetAfterMs\":60000}\n");
    }

    @Test
    void severalPoliciesAreAList() {
        LimiterDecision part = LimiterDecision.denied(Outcome.DENIED, 1, 5, 0, 1, 1);
        assertThat(QuotaExceeded.json(denied("api", part.withParts(List.of(part, part)))))
                .contains("\"violated-policies\":[\"api\",\"api:2\"]");
    }

    @Test
    void whatNeverComesIsNull() {
        Decision never = LimiterDecision.denied(Outcome.NEVER, 9, 5, 5, Decision.NEVER_MICROS, 0);
        assertThat(QuotaExceeded.json(denied("api", never))).contains("\"retryAfterMs\":null,\"resetAfterMs\":0}");
    }

    @Test
    void aNameIsEscaped() {
        Decision decision = LimiterDecision.denied(Outcome.DENIED, 1, 5, 0, 1, 1);
        assertThat(QuotaExceeded.json(denied("a\"b\\c größe", decision))).contains("\"rule\":\"a\\\"b\\\\c größe\",");
    }

    @Test
    void anyNameComesBackFromTheBody() {
        Random random = new Random(3);
        JsonMapper mapper = JsonMapper.shared();
        for (int i = 0; i < 5_000; i++) {
            String name = name(random, i % 1000 == 0 ? 20_000 : 20);
            Decision decision = LimiterDecision.denied(
                    random.nextBoolean() ? Outcome.DENIED : Outcome.NEVER,
                    1 + random.nextInt(9),
                    random.nextLong(Limit.MAX_PERMITS),
                    random.nextInt(5),
                    random.nextBoolean() ? Decision.NEVER_MICROS : random.nextLong(Decision.NEVER_MICROS),
                    random.nextLong(Decision.NEVER_MICROS));
            Verdict verdict = denied(name, decision);
            byte[] body = QuotaExceeded.json(verdict).getBytes(StandardCharsets.UTF_8);
            Map<?, ?> read = mapper.readValue(body, Map.class);
            assertThat(read.get("rule")).isEqualTo(name);
            assertThat(read).isEqualTo(asReaderHas(QuotaExceeded.members(verdict)));
            assertThat(List.copyOf(read.keySet()))
                    .isEqualTo(List.copyOf(QuotaExceeded.members(verdict).keySet()));
        }
    }

    /** With the numbers in the type in which a reader has them. */
    private static Map<String, @Nullable Object> asReaderHas(Map<String, @Nullable Object> members) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(members);
        all.replaceAll((name, value) -> value instanceof Long number && number == number.intValue()
                ? Integer.valueOf(number.intValue())
                : value);
        return all;
    }

    /** Of all characters that the name of a rule can have, also half a pair of surrogates. */
    private static String name(Random random, int maxLength) {
        StringBuilder name = new StringBuilder("r");
        for (int length = random.nextInt(maxLength); length > 0; length--) {
            int point = switch (random.nextInt(4)) {
                case 0 -> "\"\\/{}[]:,\u2028\u2029\uFEFF\uFFFF".charAt(random.nextInt(13));
                case 1 -> 0xD7F0 + random.nextInt(0x820);
                case 2 -> random.nextInt(Character.MAX_CODE_POINT + 1);
                default -> ' ' + random.nextInt(95);
            };
            name.appendCodePoint(Character.isISOControl(point) ? 'c' : point);
        }
        return name.toString();
    }
}
