package dev.sluice.rules.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.Request;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Servers of several kinds, and paths at random: whichever page a path reaches on one of them, its rule is met. */
class UpstreamsTest {
    private static final String RULES = """
            path-trailing-slash: exact
            rules:
              - { name: login, when: { path: /login/** }, limits: [unlimited], overrides: [{ path: /**, limits: [9 per 1ms] }] }
              - { name: static, when: { path: /static/** }, limits: [unlimited] }
            """;
    private static final int PATHS = Integer.getInteger("sluice.paths", 30_000);
    private static final String[] PIECES = {
        "/", "/", "/", "//", "login", "login", "static", "x", "..", "..", ".", ";x", ";", "%2f", "%2F", "%252f",
        "%2e%2e", "%252e", "\\", "%5c", "%255c", "%3b", "%253b", "#", "%23", "?", "%3f", "%253f", "%6cogin", "%25", "%"
    };

    /** How servers find the page of a request, each written by itself. */
    private static final Map<String, UnaryOperator<String>> SERVERS = Map.of(
            "nginx", path -> clean(decoded(cut(path, "?#")), true),
            "Express, which compares what was sent", path -> cut(path, "?"),
            "Tomcat", path -> clean(decoded(bare(cut(path, "?"))).replace('\\', '/'), true),
            "Jetty", path -> clean(decoded(bare(cut(path, "?"))), false),
            "Go", path -> clean(decoded(cut(path, "?")), true),
            "Envoy", path -> clean(cut(path, "?#").replace("%2e", "."), false),
            "Envoy that merges", path -> clean(cut(path, "?#").replace("%2e", "."), true),
            "IIS", path -> clean(decoded(decoded(cut(path, "?"))).replace('\\', '/'), true),
            "nginx before nginx", path -> clean(decoded(cut(clean(decoded(cut(path, "?#")), true), "?#")), true),
            "one that reads a URL", UpstreamsTest::ofUrl);

    @Test
    void theRuleOfThePageIsMet() {
        Stage stage = new Stage(RULES);
        Random random = new Random(Long.getLong("sluice.seed", 7));
        int reached = 0;
        int denied = 0;
        for (int i = 0; i < PATHS; i++) {
            StringBuilder text = new StringBuilder("/");
            for (int pieces = 1 + random.nextInt(9); pieces > 0; pieces--) {
                text.append(PIECES[random.nextInt(PIECES.length)]);
            }
            String path = text.toString();
            List<String> servers = new ArrayList<>();
            SERVERS.forEach((name, server) -> {
                String page = server.apply(path);
                if (page.equals("/login") || page.startsWith("/login/")) {
                    servers.add(name);
                }
            });
            if (servers.isEmpty()) {
                continue;
            }
            List<String> met = stage.engine.check(Request.of(Map.of("path", path), 0)).join().decisions().stream()
                    .map(decision -> decision.rule().name())
                    .toList();
            assertThat(met).as(path + " is login on " + servers).containsAnyOf("login", "ambiguous-path");
            reached++;
            denied += met.contains("login") ? 0 : 1;
        }
        assertThat(reached).as("paths that some server takes for login").isGreaterThan(PATHS / 20);
        assertThat(denied).as("of these, denied as ambiguous").isLessThan(reached / 3);
    }

    private static String cut(String text, String ends) {
        int end = 0;
        while (end < text.length() && ends.indexOf(text.charAt(end)) < 0) {
            end++;
        }
        return text.substring(0, end);
    }

    private static String decoded(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            if (text.substring(i).matches("%[0-9a-fA-F]{2}.*")) {
                bytes.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.write(text.charAt(i));
            }
        }
        return bytes.toString(UTF_8);
    }

    private static String bare(String path) {
        return path.replaceAll(";[^/]*", "");
    }

    private static String clean(String path, boolean merge) {
        List<String> kept = new ArrayList<>();
        for (String segment :
                (merge ? path.replaceAll("/+", "/") : path).substring(1).split("/", -1)) {
            if (segment.equals("..")) {
                if (!kept.isEmpty()) {
                    kept.remove(kept.size() - 1);
                }
            } else if (!segment.equals(".")) {
                kept.add(segment);
            }
        }
        return "/" + String.join("/", kept);
    }

    private static String ofUrl(String path) {
        String slashed = cut(path, "?#").replace('\\', '/').replace("%2e", ".");
        if (!slashed.startsWith("//")) {
            return clean(slashed, false);
        }
        int end = slashed.indexOf('/', 2);
        return end < 0 ? "/" : clean(slashed.substring(end), false);
    }
}
