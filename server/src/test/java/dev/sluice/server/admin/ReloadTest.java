package dev.sluice.server.admin;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
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
        TestAdmin.eventually("it is in the audit log", () -> !admin.audited().isEmpty()); // written once it is in force
        JsonObject audited = admin.audited().get(0);
        assertThat(audited.getString("origin")).isEqualTo("file");
        assertThat(audited.getString("who")).isEqualTo(file.toString());
        assertThat(audited.getString("before")).startsWith("1-");
        assertThat(audited.getString("after")).startsWith("2-");
    }

    /** One bound for a file that a server starts with, that it reloads, and that an admin puts. */
    @Test
    void aFileThatIsTooLargeIsNeverServed() throws IOException {
        String tooLarge = TestAdmin.RULES + "#".repeat(4_600_000);
        assertThatThrownBy(() -> TestAdmin.onFile(Files.writeString(folder.resolve("large.yaml"), tooLarge)))
                .hasMessageContaining("too large: 4600")
                .hasMessageEndingWith("bytes, at most 4194304");
        assertThat(admin.putRules(tooLarge).statusCode()).isEqualTo(413);
        String large = TestAdmin.RULES + "#".repeat(4_000_000);
        assertThat(admin.putRules(large).statusCode()).isEqualTo(200);
        try (TestAdmin second = TestAdmin.onFile(Files.writeString(folder.resolve("large.yaml"), large))) {
            assertThat(second.json("/v1/rules").getValue("lastError")).isNull();
        }
    }

    @Test
    void aFileThatDoesNotEndIsShownAndReloadingGoesOn() throws IOException, InterruptedException {
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        TestAdmin.eventually("it is shown", () -> error() != null);
        assertThat(String.valueOf(error())).contains("not a regular file");
        Files.delete(file);
        Files.writeString(file, rules("regular"));
        awaitRules("regular");
    }

    @Test
    void warningsAreShown() throws IOException {
        replace("rules: [{ name: typo, when: { pth: /x }, limits: [5 per 1m] }]");
        awaitRules("typo");
        assertThat(admin.json("/v1/rules").getJsonArray("warnings").getString(0))
                .endsWith(
                        ":1:31: rules[0].when.pth: warning: nothing sets the attribute 'pth' unless a caller sends it;"
                                + " did you mean 'path'?");
        JsonObject reply = new JsonObject(admin.putRules("rules: [{ name: b, key: [uzer], limits: [5 per 1m] }]")
                .body());
        assertThat(reply.getJsonArray("warnings").getString(0)).contains("did you mean 'user'?");
        assertThat(new JsonObject(admin.putRules(TestAdmin.RULES).body()).getJsonArray("warnings"))
                .isEmpty();
    }

    @Test
    @Timeout(60)
    void aDatabaseThatDoesNotEndIsRefused() {
        HttpResponse<String> refused = admin.putRules("geo-database: /dev/zero\n" + TestAdmin.RULES);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("not a MaxMind database file: not a regular file");
        assertThat(admin.putRules(rules("after")).statusCode()).isEqualTo(200);
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
