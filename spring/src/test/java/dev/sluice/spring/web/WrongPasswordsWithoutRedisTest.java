package dev.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RunningApp;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** While Redis does not answer, each application counts by itself. */
@Tag("slow")
class WrongPasswordsWithoutRedisTest {
    @ParameterizedTest
    @EnumSource
    void theRuleStillHolds(Stack stack) {
        try (RunningApp app =
                stack.start(List.of(LoginApp.class), WrongPasswordsContract.properties("redis://127.0.0.1:1"))) {
            String[] headers = {"X-Forwarded-For", "203.0.113.1"};
            assertThat(app.statuses(20, "POST", "/login/now?ok=true", headers)).containsOnly(200);
            assertThat(app.statuses(4, "POST", "/login/now?ok=false", headers)).containsExactly(401, 401, 401, 429);
            assertThat(app.statuses(2, "POST", "/login/now?ok=true", headers)).containsOnly(429);
        }
    }
}
