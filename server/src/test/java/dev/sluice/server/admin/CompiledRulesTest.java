package dev.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.rules.Rule;
import dev.sluice.rules.file.RuleFile;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.RecordComponent;
import java.net.http.HttpResponse;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code GET /v1/rules?compiled} shows what is in force, with every default. */
class CompiledRulesTest {
    /** A component that is added to a rule has to be shown, too, unless no rule of a file can have it. */
    @Test
    void everyComponentOfARuleIsShown() {
        JsonObject shown = RuleJson.of(RuleFile.example().rules().get(0));
        assertThat(shown.fieldNames())
                .containsAll(Arrays.stream(Rule.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .filter(name -> !name.equals("underWay"))
                        .toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5 per 1m                     | 'algorithm':'sliding-window','permits':5,'period':'1m','capacity':5,'slices':10,'counting':'strict'",
                "5 per 1m sliding-window weighted | 'algorithm':'sliding-window','permits':5,'period':'1m','capacity':5,'slices':10,'counting':'weighted'",
                "5 per 1m sliding-log         | 'algorithm':'sliding-log','permits':5,'period':'1m','capacity':5",
                "5 per 1s token-bucket        | 'algorithm':'token-bucket','permits':5,'period':'1s','capacity':5,'burst':5",
                "5 per 1s leaky-bucket queue  | 'algorithm':'leaky-bucket','permits':5,'period':'1s','capacity':5,'flow':'queue'",
                "5 per 1d fixed-window        | 'algorithm':'fixed-window','permits':5,'period':'1d','capacity':5,'aligned':'first-request'",
                "5 per 1d fixed-window aligned=Europe/Berlin | 'algorithm':'fixed-window','permits':5,'period':'1d','capacity':5,'aligned':'Europe/Berlin'",
                "5 at once                    | 'algorithm':'concurrency','permits':5,'period':null,'capacity':5",
            })
    void aLimitHasItsDefaults(String text, String members) {
        assertThat(RuleJson.of(Limit.parse(text)).encode()).endsWith("," + members.replace('\'', '"') + "}");
    }

    @Test
    void overTheAdminPort() {
        try (TestAdmin admin = TestAdmin.start()) {
            admin.put("/v1/keys/login-per-ip/203.0.113.9/block", "{\"for\": \"10m\"}");
            HttpResponse<String> response = admin.get("/v1/rules?compiled");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("ETag")).isPresent();
            JsonObject json = new JsonObject(response.body());
            assertThat(json.getString("store")).isEqualTo("memory");
            assertThat(json.getLong("version")).isEqualTo(1);
            assertThat(json.getJsonArray("rules").size()).isEqualTo(2);
            JsonObject login = json.getJsonArray("rules").getJsonObject(0);
            assertThat(login.getString("name")).isEqualTo("login-per-ip");
            assertThat(login.getJsonArray("when").encode())
                    .isEqualTo("[{\"attribute\":\"path\",\"any\":[\"/login\"],\"none\":[]}]");
            assertThat(login.getString("onStoreFailure")).isEqualTo("local");
            assertThat(login.getString("missingKey")).isEqualTo("skip");
            assertThat(json.getJsonArray("temporaryOverrides").getJsonObject(0).getString("key"))
                    .isEqualTo("203.0.113.9");
        }
    }
}
