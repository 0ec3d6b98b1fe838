package dev.sluice.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.Explanation;
import dev.sluice.rules.Request;
import dev.sluice.rules.RuleCheck;
import dev.sluice.rules.RuleDecision;
import dev.sluice.rules.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No way of writing a path escapes the rule of the page that it reaches. */
class PathRulesTest {
    private static final String RULES = """
            rules:
              - { name: login, when: { path: /login }, limits: [1000000 per 1h] }
              - { name: below-login, when: { path: /login/** }, limits: [1000000 per 1h] }
              - { name: static, when: { path: /static/** }, limits: [unlimited] }
              - { name: rest, when: { path: { not: /static/** } }, limits: [1000000 per 1h] }
            """;

    private static List<String> rules(Stage stage, String path) {
        return stage.engine.check(Request.of(Map.of("path", path), 1)).join().decisions().stream()
                .map(decision -> decision.rule().name())
                .toList();
    }

    /** With the server that routes it to login. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/login",
                "/login?next=/static/x",
                "/%6cogin", // all
                "//login", // all that merge slashes
                "/./login",
                "/static/../login",
                "/static/..%2flogin", // nginx
                "/static/%2e%2e%2Flogin", // nginx
                "/static/..%252flogin", // a proxy that decodes before one that decodes
                "/static/%252e%252e/login",
                "/login;jsessionid=1", // Tomcat
                "/login;a=/../static/x", // one that reads parameters up to the query
                "/static/..;/login", // Tomcat
                "/static/..;a=b/login", // Tomcat
                "/static/..%3b/login",
                "/static/..\\login", // IIS
                "/static/..%5clogin", // IIS
                "\\login",
                "http://example.com/login", // the absolute form
                "//example.com/login", // one that reads it as a URL
                "/login#/../static/x", // one that cuts at '#'
                "/static/x#/../../login", // one that does not
                "/login%3f/../static/x", // decoded by a proxy that does not escape again
                "/login//../static/x", // one that resolves before it merges
                "/login/../static/x", // one that routes by prefix and resolves nothing
                "/login/..%2f..%2fstatic/x",
                "/login/..;/static/x",
                "/x/..%2flogin//..%2fstatic/y",
            })
    void theRuleOfLoginIsMetWhateverItsServer(String path) {
        assertThat(rules(new Stage(RULES), path)).as(path).containsAnyOf("login", "below-login");
        assertThat(rules(new Stage(RULES), path)).as(path).contains("rest");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/static/x", "/static/a%20b.css", "/static/caf%C3%A9", "/static/x?y=/login", "/static"})
    void whatIsPlainStaysAsItIs(String path) {
        assertThat(rules(new Stage(RULES), path)).as(path).isEmpty();
    }

    /** Escapes, parameters, dots, slashes and backslashes, at random, as an attacker would. */
    @Test
    void randomSpellingsOfAPathNeverEscapeItsRule() {
        Stage stage = new Stage(RULES);
        Random random = new Random(Long.getLong("sluice.seed", 13));
        for (int i = 0; i < 20_000; i++) {
            String path = disguised("/login", random);
            List<String> met = rules(stage, path);
            boolean denied = met.equals(List.of("ambiguous-path"));
            assertThat(denied || met.contains("login"))
                    .as(path + " meets " + met)
                    .isTrue();
        }
    }

    private static String disguised(String path, Random random) {
        String text = path;
        for (int steps = 1 + random.nextInt(3); steps > 0; steps--) {
            int slash = slash(text, random);
            text = switch (random.nextInt(7)) {
                case 0 -> text.substring(0, slash) + "/static/.." + text.substring(slash);
                case 1 -> text.substring(0, slash) + "/." + text.substring(slash);
                case 2 -> text.substring(0, slash) + "/" + text.substring(slash);
                case 3 -> text + ";x=" + random.nextInt(10);
                case 4 -> text.substring(0, slash) + "/a/..;b" + text.substring(slash);
                case 5 ->
                    text.indexOf('%') < 0
                            ? text.substring(0, 1) + text.substring(1).replace('/', '\\')
                            : text;
                default -> escaped(text, random);
            };
        }
        return text + (random.nextInt(4) == 0 ? "?a=/static/" : "");
    }

    private static int slash(String text, Random random) {
        int slash = text.indexOf('/', random.nextInt(text.length()));
        return slash < 0 ? 0 : slash;
    }

    /** Some characters escaped, some of them twice. */
    private static String escaped(String text, Random random) {
        if (text.indexOf('%') >= 0) {
            return text;
        }
        StringBuilder escaped = new StringBuilder("/");
        for (char c : text.substring(1).toCharArray()) {
            String hex = String.format(Locale.ROOT, random.nextBoolean() ? "%02x" : "%02X", (int) c);
            switch (random.nextInt(3)) {
                case 0 -> escaped.append(c);
                case 1 -> escaped.append('%').append(hex);
                default -> escaped.append("%25").append(hex);
            }
        }
        return escaped.toString();
    }

    @Test
    void anUnlimitedFormMakesNoOtherFormUnlimited() {
        Stage stage = new Stage("""
                rules:
                  - name: all
                    limits: [3 per 1h sliding-log]
                    overrides:
                      - { path: /static/**, limits: [unlimited] }
                      - { path: /login, limits: [1 per 1h sliding-log] }
                """);
        assertThat(stage.allowed(5, "path=/static/x")).isEqualTo(5);
        assertThat(stage.allowed(5, "path=/static/..%2flogin"))
                .as("as login, not as static")
                .isEqualTo(1);
        assertThat(stage.allowed(5, "path=/login")).isZero();
        assertThat(stage.allowed(5, "path=/other")).isEqualTo(3);
    }

    @Test
    void aKeyOfThePathIsThatOfEveryForm() {
        Stage stage = new Stage("rules: [{ name: page, key: [path], limits: [2 per 1h sliding-log] }]");
        for (int i = 0; i < 2; i++) {
            assertThat(stage.check("path=/login;jsessionid=" + i).allowed()).isTrue();
        }
        assertThat(stage.check("path=/login;jsessionid=3").allowed()).isFalse();
        assertThat(stage.check("path=/login").allowed()).isFalse();
        assertThat(stage.check("path=/other").allowed()).isTrue();
    }

    @Test
    void aRequestIsChargedOnceForAllItsForms() {
        Stage stage = new Stage("rules: [{ name: all, when: { path: /** }, limits: [5 per 1h sliding-log] }]");
        assertThat(stage.check("path=/a/..;x/b%2fc//d").decisions()).hasSize(1);
        assertThat(stage.allowed(10, "path=/a/..;x/b%2fc//d")).isEqualTo(4);
    }

    @Test
    void aSlashAtTheEndDoesNotMatterUnlessTheFileSaysSo() {
        String rules = "rules: [{ name: r, when: { path: [/login, /folder/] }, limits: [3 per 1h sliding-log] }]";
        assertThat(rules(new Stage(rules), "/login/")).containsExactly("r");
        assertThat(rules(new Stage(rules), "/folder")).containsExactly("r");
        assertThat(rules(new Stage(rules), "/LOGIN")).isEmpty();
        String exact = "path-trailing-slash: exact\n" + rules;
        assertThat(rules(new Stage(exact), "/login/")).isEmpty();
        assertThat(rules(new Stage(exact), "/folder")).isEmpty();
        assertThat(rules(new Stage(exact), "/folder/")).containsExactly("r");
    }

    @Test
    void aKeyHasNoSlashAtItsEnd() {
        Stage stage = new Stage("rules: [{ name: page, key: [path], limits: [2 per 1h sliding-log] }]");
        assertThat(stage.check("path=/a/").decisions())
                .extracting(RuleDecision::key)
                .containsExactly("/a");
        assertThat(stage.check("path=/a").allowed()).isTrue();
        assertThat(stage.check("path=/a/").allowed()).isFalse();
    }

    @Test
    void caseDoesNotMatterIfTheFileSaysSo() {
        Stage stage = new Stage("""
                path-case: ignore
                rules:
                  - { name: r, when: { path: /Login/** }, key: [path], limits: [2 per 1h sliding-log] }
                """);
        assertThat(stage.check("path=/LOGIN/x").allowed()).isTrue();
        assertThat(stage.check("path=/login/%58").allowed()).isTrue();
        assertThat(stage.check("path=/login/x").allowed()).isFalse();
    }

    @Test
    void aPathThatWasMadeToBeMisreadIsDeniedWhereARuleUsesThePath() {
        String path = "//a%252f;\\..//../b#c;%5cd%3fe";
        Verdict denied = new Stage(RULES)
                .engine
                .check(Request.of(Map.of("path", path), 1))
                .join();
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.decisions()).extracting(each -> each.rule().name()).containsExactly("ambiguous-path");
        Stage others = new Stage("rules: [{ name: r, key: [user], limits: [2 per 1h] }]");
        assertThat(others.engine
                        .check(Request.of(Map.of("path", path, "user", "a"), 1))
                        .join()
                        .allowed())
                .isTrue();
    }

    /** What is shown of a key leads back to its counter. */
    @ParameterizedTest
    @ValueSource(strings = {"/a%2fb", "/a;b", "/a/../b", "/a\\b|c", "/caf%C3%A9", "/x/"})
    void everyKeyCanBeInspected(String path) {
        Stage stage = new Stage("rules: [{ name: r, key: [path], limits: [2 per 1h sliding-log] }]");
        Verdict verdict =
                stage.engine.check(Request.of(Map.of("path", path), 1)).join();
        for (RuleDecision decision : verdict.decisions()) {
            RuleDecision standing = stage.engine.inspect("r", decision.key()).join();
            assertThat(standing).isNotNull();
            assertThat(standing.key()).isEqualTo(decision.key());
            assertThat(standing.decision().remaining()).as(decision.key()).isEqualTo(1);
        }
    }

    /** Every form that the explanation shows is one that a check is charged for. */
    @ParameterizedTest
    @CsvSource({"/static/..%2flogin", "/login", "/login;x", "/static/x", "/a//../b%252f;x\\..#y"})
    void theExplanationHasTheSameDecisions(String path) {
        Stage stage = new Stage(RULES);
        Request request = Request.of(Map.of("path", path), 0);
        Explanation explained = stage.engine.explain(request).join();
        assertThat(explained.verdict().decisions())
                .extracting(decision -> decision.rule().name() + " " + decision.key())
                .containsExactlyElementsOf(stage.engine.check(request).join().decisions().stream()
                        .map(decision -> decision.rule().name() + " " + decision.key())
                        .toList());
    }

    /** No pattern sees a part of it alone, so that no client pads a path until its end is out of sight. */
    @Test
    void aLongPathMeetsTheRulesOfItsEnd() {
        Stage stage = new Stage("""
                rules:
                  - { name: delete, when: { path: /api/*/delete }, key: [path], limits: [1 per 1h] }
                """);
        String path = "/api/" + "x".repeat(9000) + "/delete";
        assertThat(rules(stage, path)).containsExactly("delete");
    }

    /** Whichever of its forms a server routes, one that is not compared could be the one. */
    @Test
    void aRuleThatIsAskedByNameDeniesWhatCannotBeRead() {
        Stage stage = new Stage("rules: [{ name: pages, key: [path], limits: [1000 per 1h] }]");
        String path = "/a;b/..%2f\\//c%252f;/..%2f\\//d#e%3b?".repeat(3);
        Request request = Request.of(Map.of("path", path), 1);
        assertThat(request.isPathReadable()).isFalse();
        assertThat(stage.engine.check(request).join().allowed()).isFalse();
        assertThat(stage.engine
                        .check(List.of(new RuleCheck("pages", request)))
                        .join()
                        .allowed())
                .isFalse();
    }
}
