package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryRulesTest {
    private static List<String> none(String name) {
        return List.of();
    }

    private static Function<String, List<String>> retryAfter(String value) {
        return name -> name.equals("Retry-After") ? List.of(value) : List.of();
    }

    private static void refuses(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, 429, 1, true",
        "get, 503, 1, true",
        "HEAD, 429, 1, true",
        "PUT, 429, 1, true",
        "DELETE, 503, 1, true",
        "OPTIONS, 429, 0, true",
        "GET, 429, 30, true",
        "GET, 429, 31, false",
        "POST, 429, 1, false",
        "PATCH, 503, 1, false",
        "GET, 500, 1, false",
        "GET, 502, 1, false",
        "GET, 200, 1, false",
        "GET, 301, 1, false",
        "GET, 429, soon, false",
    })
    void onlyWhatCanSucceedIsSentAgain(String method, int status, String value, boolean again) {
        Duration wait =
                RetryRules.standard().begin(method, RetryRulesTest::none).waitBeforeRetry(status, retryAfter(value));
        assertThat(wait != null).isEqualTo(again);
    }

    @Test
    void withoutATimeNothingIsSentAgain() {
        assertThat(RetryRules.standard().begin("GET", RetryRulesTest::none).waitBeforeRetry(429, RetryRulesTest::none))
                .isNull();
        assertThat(RetryRules.standard().begin("GET", RetryRulesTest::none).waitBeforeRetry(503, RetryRulesTest::none))
                .isNull();
    }

    @Test
    void aCallThatNamesAKeyCanBeRepeated() {
        Function<String, List<String>> key = name -> name.equals("Idempotency-Key") ? List.of("\"8e03\"") : List.of();
        assertThat(RetryRules.standard().begin("POST", key).waitBeforeRetry(429, retryAfter("1")))
                .isNotNull();
        assertThat(RetryRules.standard()
                        .alsoMethod("post")
                        .begin("POST", RetryRulesTest::none)
                        .waitBeforeRetry(429, retryAfter("1")))
                .isNotNull();
    }

    @Test
    void thereAreThreeRetriesAtMost() {
        RetryRules.Call call = RetryRules.standard().begin("GET", RetryRulesTest::none);
        for (int i = 0; i < 3; i++) {
            assertThat(call.waitBeforeRetry(429, retryAfter("0"))).isNotNull();
        }
        assertThat(call.waitBeforeRetry(429, retryAfter("0"))).isNull();
        assertThat(RetryRules.standard()
                        .maxRetries(0)
                        .begin("GET", RetryRulesTest::none)
                        .waitBeforeRetry(429, retryAfter("0")))
                .isNull();
    }

    @Test
    void noClientComesBackTooEarlyAndNotAllAtOnce() {
        RetryRules rules = RetryRules.standard().budget(RetryBudget.of(10_000, 0));
        List<Duration> waits = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Duration wait = rules.begin("GET", RetryRulesTest::none).waitBeforeRetry(429, retryAfter("20"));
            assertThat(wait).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(22));
            waits.add(wait);
        }
        assertThat(waits.stream().distinct().count()).isGreaterThan(900);
        assertThat(rules.begin("GET", RetryRulesTest::none).waitBeforeRetry(429, retryAfter("0")))
                .isBetween(Duration.ZERO, Duration.ofMillis(100));
    }

    @Test
    void theBudgetIsSharedAndEarned() {
        RetryBudget budget = RetryBudget.of(2, 10);
        RetryRules one = RetryRules.standard().budget(budget);
        RetryRules other = RetryRules.standard().maxRetries(1).budget(budget);
        assertThat(one.begin("GET", RetryRulesTest::none).waitBeforeRetry(429, retryAfter("0")))
                .isNotNull();
        assertThat(other.begin("GET", RetryRulesTest::none).waitBeforeRetry(429, retryAfter("0")))
                .isNotNull();
        assertThat(budget.remaining()).isZero();
        assertThat(one.begin("GET", RetryRulesTest::none).waitBeforeRetry(429, retryAfter("0")))
                .isNull();
        for (int i = 0; i < 10; i++) {
            one.begin("POST", RetryRulesTest::none);
        }
        assertThat(budget.remaining()).isEqualTo(1);
        for (int i = 0; i < 1_000; i++) {
            one.begin("GET", RetryRulesTest::none);
        }
        assertThat(budget.remaining()).isEqualTo(2);
    }

    @Test
    void mistakesAreNamed() {
        refuses(() -> RetryRules.standard().maxRetries(11), "maxRetries must be from 0 to 10, was 11");
        refuses(
                () -> RetryRules.standard().maxWait(Duration.ofDays(1)),
                "maxWait must be from PT0S to PT1H, was PT24H");
        refuses(() -> RetryBudget.of(-1, 10), "retries must be from 0 to 1000000, was -1");
        refuses(() -> RetryBudget.of(1, 101), "percent must be from 0 to 100, was 101");
    }
}
