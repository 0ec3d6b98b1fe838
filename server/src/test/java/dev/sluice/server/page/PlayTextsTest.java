package dev.sluice.server.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.simulate.Algorithm;
import dev.sluice.simulate.PictureText;
import dev.sluice.simulate.Traffic;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The texts of the playground and the calculator: as many in one language as in the other, and none missing. */
class PlayTextsTest {
    private static final List<String> USERS = List.of(
            "playground.html", "playground.js", "play-animate.js", "play-draw.js", "capacity.html", "capacity.js");

    private final Map<String, String> english = Playground.texts("play-en.json");
    private final Map<String, String> chinese = Playground.texts("play-zh.json");

    @Test
    void bothLanguagesHaveTheSameKeysAndPlaceholders() {
        assertThat(chinese.keySet()).isEqualTo(english.keySet());
        english.forEach((key, text) ->
                assertThat(placeholders(chinese.getOrDefault(key, ""))).as(key).isEqualTo(placeholders(text)));
        assertThat(english.values()).noneMatch(String::isBlank);
        assertThat(chinese.values()).noneMatch(String::isBlank);
    }

    @Test
    void chineseIsChinese() {
        chinese.forEach((key, text) -> {
            if (!Set.of("playJava", "playMomentAt").contains(key)) {
                assertThat(text).as(key).containsPattern("\\p{IsHan}");
            }
        });
    }

    @Test
    void noKeyThatIsUsedIsMissing() {
        Set<String> known = new TreeSet<>(english.keySet());
        known.addAll(Playground.texts("text-en.json").keySet());
        Set<String> missing = used();
        missing.removeAll(known);
        assertThat(missing).isEmpty();
    }

    @Test
    void everyKeyIsUsed() {
        Set<String> used = used();
        assertThat(english.keySet())
                .filteredOn(key -> !key.matches("(picture|traffic|algorithm|cap)-.*"))
                .allMatch(used::contains);
    }

    @Test
    void noKeyHasTwoMeanings() {
        assertThat(english.keySet())
                .doesNotContainAnyElementsOf(Playground.texts("text-en.json").keySet());
    }

    @Test
    void thePictureSpeaksAsThePageDoes() {
        assertThat(english).containsAllEntriesOf(PictureText.englishByKey());
        assertThat(PictureText.of(chinese)).isNotNull();
    }

    @Test
    void everyAlgorithmAndShapeIsOnThePage() {
        String page = StaticFile.text("playground.html");
        for (Algorithm algorithm : Algorithm.values()) {
            assertThat(page).contains("value=\"" + algorithm.text() + "\"");
            assertThat(english).containsEntry("algorithm-" + algorithm.text() + "-how", algorithm.summary());
        }
        for (Traffic.Shape shape : Traffic.Shape.values()) {
            assertThat(page).contains("<option value=\"" + shape.text() + "\"");
            assertThat(english).containsKey("traffic-" + shape.text() + "-how");
        }
    }

    @Test
    void everyNumberOfTheCalculatorHasAText() {
        for (String limit : List.of("10 per 1m sliding-log", "10 at once")) {
            Capacity capacity = Capacity.of(Map.of("limit", limit));
            for (List<Capacity.Fact> facts : List.of(capacity.pools(), capacity.availability(), capacity.limits())) {
                facts.forEach(fact -> assertThat(english).containsKey("cap-" + fact.key()));
            }
        }
    }

    private static Set<String> used() {
        Set<String> used = new TreeSet<>();
        for (String file : USERS) {
            String text = StaticFile.text(file);
            Matcher attributes =
                    Pattern.compile("data-text(?:-\\w+)?=\"([\\w-]+)\"").matcher(text);
            attributes.results().forEach(found -> used.add(found.group(1)));
            Matcher quoted = Pattern.compile("'((?:play[A-Z]|cap[A-Z]|picture-)[A-Za-z-]+)'")
                    .matcher(text);
            quoted.results().forEach(found -> used.add(found.group(1)));
        }
        return used;
    }

    private static Set<String> placeholders(String text) {
        Set<String> names = new TreeSet<>();
        Pattern.compile("\\{\\w+}").matcher(text).results().forEach(found -> names.add(found.group()));
        return names;
    }
}
