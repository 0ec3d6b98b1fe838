package dev.sluice.server.admin;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadTest {
    @TempDir
    static Path folder = Path.of("");

    private Path file = Path.of("");
    private TestAdmin admin = TestAdmin.start();

    @BeforeEach
    void start() throws IOException {
        admin.close();
        file = Files.writeString(folder.resolve("rules.yaml"), TestAdmin.RULES);
        admin = TestAdmin.onFile(file);
    }

    @AfterEach
    void stop() {
        admin.close();
    }

    @Test
    void aGoodFileTakesEffectAndCountsAreCarriedOver() throws IOException {
        admin.login("192.0.2.1");
        admin.login("192.0.2.1");
        replace(TestAdmin.RULES.replace("2 per 1h", "3 per 1h"));
        awaitVersion(2);
        assertThat(admin.login("192.0.2.1").allowed()).isTrue();
        assertThat(admin.login("192.0.2.1").allowed()).isFalse();
        JsonObject audited = admin.audited().get(0);
        assertThat(audited.getString("origin")).isEqualTo("file");
        assertThat(audited.getString("who")).isEqualTo(file.toString());
        assertThat(audited.getString("before")).startsWith("1-");
        assertThat(audited.getString("after")).startsWith("2-");
    }

    @Test
    void aFileWrittenInPlaceTakesEffect() throws IOException {
        Files.writeString(file, rules("written"));
        awaitRules("written");
    }

    @Test
    void aBadFileChangesNothingAndIsShown() throws IOException {
        replace("rules:\n  - name: broken\n    limits: [many]\n");
        TestAdmin.eventually("it is shown", () -> error() != null);
        assertThat(admin.ruleNames()).containsExactly("login-per-ip", "everything");
        JsonObject problem = admin.json("/v1/rules")
                .getJsonObject("lastError")
                .getJsonArray("problems")
                .getJsonObject(0);
        assertThat(problem.getInteger("line")).isEqualTo(3);
        assertThat(admin.metric("sluice_rules_bad")).isEqualTo(1);
        assertThat(admin.metric("sluice_rules_rejections_total")).isEqualTo(1);
        replace(rules("mended"));
        awaitRules("mended");
        assertThat(error()).isNull();
        assertThat(admin.metric("sluice_rules_bad")).isZero();
    }

    @Test
    void aBadFileThatIsTakenBackIsShownNoLonger() throws IOException {
        replace("rules: 7");
        TestAdmin.eventually("it is shown", () -> error() != null);
        replace(TestAdmin.RULES);
        TestAdmin.eventually("it is not", () -> error() == null);
        assertThat(admin.json("/v1/rules").getLong("version")).isEqualTo(1);
    }

    @Test
    void aFileThatIsGoneChangesNothingAndIsShown() throws IOException {
        Files.delete(file);
        TestAdmin.eventually("it is shown", () -> error() != null);
        assertThat(admin.ruleNames()).containsExactly("login-per-ip", "everything");
        Files.writeString(file, rules("back"));
        awaitRules("back");
        assertThat(error()).isNull();
    }

    @Test
    void whatWasPutHoldsUntilTheFileChanges() throws IOException {
        admin.putRules(rules("put"));
        assertThat(admin.ruleNames()).containsExactly("put");
        replace(rules("file"));
        awaitRules("file");
        admin.putRules(rules("put"));
        assertThat(admin.ruleNames()).containsExactly("put");
        assertThat(admin.json("/v1/rules").getLong("version")).isEqualTo(4);
    }

    private static String rules(String name) {
        return "rules:\n  - name: " + name + "\n    limits: [3 per 1s]\n";
    }

    private void replace(String text) throws IOException {
        Path next = Files.writeString(folder.resolve("rules.yaml.next"), text);
        Files.move(next, file, ATOMIC_MOVE, REPLACE_EXISTING);
    }

    private void awaitRules(String name) {
        TestAdmin.eventually("the rules are " + name, () -> admin.ruleNames().equals(List.of(name)));
    }

    private void awaitVersion(long number) {
        TestAdmin.eventually("version " + number, () -> admin.json("/v1/rules").getLong("version") == number);
    }

    private Object error() {
        return admin.json("/v1/rules").getValue("lastError");
    }
}
