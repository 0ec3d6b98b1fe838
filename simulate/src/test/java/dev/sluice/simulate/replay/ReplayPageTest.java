package dev.sluice.simulate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of a report: one file, in which everything from a log is text. */
class ReplayPageTest {
    private static final String HOSTILE = "<script>alert(1)</script>\\\"'><img src=x onerror=alert(2)>&amp;";

    private static ReplayReport hostile() {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            entries.add(i + " \"ip\":\"203.0.113.9\",\"user\":\"" + HOSTILE + "\"");
        }
        return Replays.compare(
                "rules: [{name: a, key: [user], limits: [2 per 1m]}]",
                "rules: [{name: a, key: [user], limits: [3 per 1m]}, {name: b, limits: [1 per 1m], on-exceed: wait up to 5m}]",
                Replays.log(entries.toArray(String[]::new)) + "{\"<script>alert(3)</script>\n");
    }

    @Test
    void whatALogHoldsIsText() {
        String page = ReplayPage.of(hostile());
        assertThat(page).contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;").doesNotContain("<script", "<img");
    }

    @Test
    void itNeedsNothingElse() {
        String page = ReplayPage.of(hostile()).replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        assertThat(page).doesNotContain("http:", "https:", "//", "url(", "@import");
        assertThat(count(page, "<[^>]*\\s(?:src|href|on\\w+)=")).isZero();
    }

    @Test
    void everyElementIsClosed() {
        String page = ReplayPage.of(hostile());
        for (String element :
                List.of("html", "head", "body", "table", "tr", "td", "svg", "figure", "p", "h2", "text")) {
            assertThat(count(page, "<" + element + "[ >]"))
                    .as(element)
                    .isEqualTo(count(page, "</" + element + ">"))
                    .isPositive();
        }
    }

    private static long count(String page, String pattern) {
        return Pattern.compile(pattern).matcher(page).results().count();
    }

    @Test
    void itHasAChartForEachThingThatCanBeSeen() {
        String page = ReplayPage.of(hostile());
        assertThat(count(page, "<svg ")).isEqualTo(4);
        assertThat(page).contains("Before and after", "Hit most", "Worst minutes", "allowed by others.yaml");
    }

    @Test
    void whatATerminalWouldObeyIsShownAsItsCode() {
        String escape = "\\u001b[31mred\\u202e";
        ReplayReport report = Replays.replay(
                "rules: [{name: a, key: [user], limits: [1 per 1m]}]",
                Replays.log("1 \"user\":\"" + escape + "\"", "2 \"user\":\"" + escape + "\""));
        assertThat(ReplayText.of(report)).contains("\\u001b[31mred\\u202e").doesNotContain("\u001b", "\u202e");
    }
}
