package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdminRefusalsTest {
    private final TestAdmin admin = TestAdmin.start();

    @AfterAll
    void stop() {
        admin.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PUT|/v1/keys/login-per-ip/x/block|{}|400|\\\"for\\\" must say how long",
                "PUT|/v1/keys/login-per-ip/x/block|{\"for\": \"soon\"}|400|must be a duration such as 500ms, 30s, 1m, 1h30m, 1d or 1w, was 'soon'",
                "PUT|/v1/keys/login-per-ip/x/block|{\"for\": \"9999d\"}|400|at most 366d",
                "PUT|/v1/keys/login-per-ip/x/block|{\"until\": \"10m\"}|400|there is no member 'until'; there are for",
                "PUT|/v1/keys/login-per-ip/x/block|nonsense|400|the body is not a JSON object",
                "PUT|/v1/keys/login-per-ip/x/override|{\"for\": \"1m\"}|400|\\\"limits\\\" must be a list",
                "PUT|/v1/keys/login-per-ip/x/override|{\"for\": \"1m\", \"limits\": [\"5 per x\"]}|400|limits[0]",
                "PUT|/v1/keys/nobody/x/block|{\"for\": \"1m\"}|404|there is no rule named 'nobody'",
                "GET|/v1/keys/login-per-ip|''|404|say which key",
                "GET|/v1/keys/login-per-ip/a|''|200|login-per-ip",
                "GET|/v1/keys/login-per-ip/2001:db8::/64|''|404|a '/' within a key is written %2F",
                "GET|/v1/keys/everything/x|''|404|has no such key",
                "PATCH|/v1/keys/login-per-ip/x|''|405|only GET, DELETE here",
                "POST|/v1/explain|[]|400|not a JSON object",
                "POST|/v1/explain|{\"attributes\": []}|400|must be an object",
                "POST|/v1/explain|{\"attributes\": {\"ip\": 7}}|400|attribute 'ip' must be a string, was 7",
                "POST|/v1/explain|{\"attributes\": {}, \"cost\": -1}|400|cost must be 0 or more, was -1",
                "POST|/v1/explain|{\"attributes\": {}, \"cost\": 1.5}|400|must be a whole number",
                "GET|/v1/explain|''|405|only POST here",
                "POST|/v1/rules/rollback|''|400|say which version",
                "POST|/v1/rules/rollback?version=x|''|400|version must be a whole number from 1, was 'x'",
                "DELETE|/v1/rules|''|405|only GET, PUT here",
                "GET|/v1/rules/version|''|404|there are /v1/rules",
                "GET|/v1/nothing|''|404|there are /v1/rules",
                "GET|/v1/offenders?top=0|''|400|top must be",
                "GET|/elsewhere|''|200|the rest",
            })
    void saysWhatIsWrong(String method, String path, String body, int status, String part) {
        HttpResponse<String> response = admin.send(method, path, body, "Content-Type", "application/json");
        assertThat(response.body()).contains(part);
        assertThat(response.statusCode()).isEqualTo(status);
    }
}
