package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckReaderTest {
    @Test
    void anAnswerIsRead() throws CheckReader.NoDecision {
        CheckResult allowed = CheckReader.one(new Reply(200, FakeServer.ALLOWED));
        assertThat(allowed)
                .isEqualTo(new CheckResult(
                        true,
                        "r",
                        5,
                        4,
                        Duration.ZERO,
                        Duration.ofMinutes(1),
                        Duration.ZERO,
                        false,
                        null,
                        CheckResult.Source.SERVER,
                        null));
        CheckResult denied = CheckReader.one(new Reply(429, FakeServer.DENIED));
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(1500));
        assertThat(denied.resetAfter()).isEqualTo(CheckResult.NEVER);
        assertThat(denied.never()).isFalse();
    }

    @Test
    void whatIsThereOnlySometimesIsRead() throws CheckReader.NoDecision {
        CheckResult result = CheckReader.one(new Reply(
                200,
                "{\"allowed\":true,\"rule\":null,\"limit\":null,\"remaining\":null,\"retryAfterMs\":0,\"resetAfterMs\":0,"
                        + "\"delayMs\":250,\"degraded\":true,\"hold\":\"Aa_-9\",\"new\":{\"x\":[1]}}"));
        assertThat(result.rule()).isNull();
        assertThat(result.limit()).isEqualTo(CheckResult.UNLIMITED);
        assertThat(result.remaining()).isEqualTo(CheckResult.UNLIMITED);
        assertThat(result.delay()).isEqualTo(Duration.ofMillis(250));
        assertThat(result.degraded()).isTrue();
        assertThat(result.hold()).isEqualTo("Aa_-9");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "200 | [] | the reply has no member 'allowed'",
                "200 | {} | the reply has no member 'allowed'",
                "200 | \"allowed\" | the reply has no member 'allowed'",
                "200 | {\"allowed\":\"true\"} | the reply has no member 'allowed'",
                "200 | {\"allowed\":true} | the 'limit' of the reply is not a whole number",
                "200 | {\"allowed\":true,\"rule\":7} | the 'rule' of the reply is not a string",
                "200 | {\"allowed\":true,\"hold\":\"../rules\"} | the 'hold' of the reply is not a token",
                "200 | {\"allowed\":true,\"limit\":-1} | the 'limit' of the reply is not a whole number",
                "200 | {\"allowed\":true,\"limit\":1.5} | the 'limit' of the reply is not a whole number",
                "200 | {\"allowed\":false,\"limit\":1,\"remaining\":0,\"retryAfterMs\":0,\"resetAfterMs\":0} | the reply has status 200 and says allowed: false",
                "429 | Slow down! | the reply is not JSON: expected a value at 0, was 'Slow down!'",
                "429 | {\"error\":\"rate limited by a proxy\"} | the reply has no member 'allowed'",
                "400 | {\"detail\":\"cost must be more\"} | the server answered 400: cost must be more",
                "404 | <html> | the server answered 404",
                "301 | `` | the server answered 301",
            })
    void anythingElseIsNoDecision(int status, String body, String message) {
        assertThatThrownBy(() -> CheckReader.one(new Reply(status, body)))
                .isInstanceOf(CheckReader.NoDecision.class)
                .hasMessage(message);
    }

    @Test
    void aListHasAnAnswerForEachCheck() throws CheckReader.NoDecision {
        String both = "[" + FakeServer.ALLOWED + ",\n" + FakeServer.DENIED + "]";
        assertThat(CheckReader.list(new Reply(200, both), 2))
                .extracting(CheckResult::allowed)
                .containsExactly(true, false);
        assertThatThrownBy(() -> CheckReader.list(new Reply(200, both), 3))
                .hasMessage("the reply to 3 checks is not a list of 3");
        assertThatThrownBy(() -> CheckReader.list(new Reply(200, FakeServer.ALLOWED), 1))
                .hasMessage("the reply to 1 checks is not a list of 1");
        assertThatThrownBy(() -> CheckReader.list(new Reply(413, ""), 1)).hasMessage("the server answered 413");
    }
}
