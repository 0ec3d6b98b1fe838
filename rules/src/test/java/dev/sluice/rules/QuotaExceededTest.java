package dev.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Outcome;
import dev.sluice.spi.LimiterDecision;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuotaExceededTest {
    private static final Limit LIMIT = Limit.slidingLog(5, Duration.ofMinutes(1));

    private static Verdict denied(String name, Decision decision) {
        Rule rule = Rule.named(name).limits(LIMIT).build();
        return Verdict.of(List.of(new RuleDecision(rule, name, "key", 100, Limiter.local(LIMIT), decision, null)));
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
}
