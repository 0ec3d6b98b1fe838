package dev.sluice.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.simulate.svg.Svg;
import java.io.StringReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

@Tag("slow")
class PictureTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DRAWN")
    void saysTheNumbersOfTheSimulations(Traffic.Shape shape) throws Exception {
        Scenario scenario = Scenario.parse(Map.of("traffic", shape.text(), "rate", "50/10s"));
        List<Simulation> simulations = scenario.run();
        Document picture = parse(Picture.draw("a < b & \"c\"", simulations, 860));
        assertThat(picture.getElementsByTagName("title").item(0).getTextContent())
                .isEqualTo("How many got through in any 10s? The limit is 10. a < b & \"c\"");
        for (int i = 0; i < simulations.size(); i++) {
            Simulation simulation = simulations.get(i);
            Element panel = (Element) picture.getElementsByTagName("g").item(i);
            boolean holds = simulation.limit().holds();
            long worst = holds ? simulation.mostUsed() : simulation.worst().admitted();
            String most = holds
                    ? "never more than " + worst + " at once"
                    : worst > 10
                            ? worst + " in 10s: " + Svg.tenths(worst) + " times the limit"
                            : "never more than " + worst + " in any 10s";
            assertThat(panel.getAttribute("data-most")).isEqualTo("" + worst);
            assertThat(panel.getElementsByTagName("title").item(0).getTextContent())
                    .contains(most + ", " + simulation.allowed() + " allowed, " + simulation.denied() + " denied");
            assertThat(panel.getElementsByTagName("circle").getLength()).isEqualTo(1);
            assertThat(panel.getTextContent()).contains("most: " + worst + "\n");
            assertThat(panel.getTextContent()).contains(most);
        }
    }

    /** One curve, one line, one number: what is above the limit is red, and only then. */
    @Test
    void answersOneQuestion() throws Exception {
        Document picture = parse(Picture.draw(
                "x",
                Scenario.parse(Map.of("algorithm", "fixed-window-aligned,sliding-log"))
                        .run(),
                860));
        assertThat(classes(picture, "path", "curve")).isEqualTo(2);
        assertThat(classes(picture, "path", "limit")).isEqualTo(2);
        assertThat(classes(picture, "path", "above")).isEqualTo(2); // the legend and the fixed window
        assertThat(classes(picture, "circle", "peak over")).isEqualTo(1);
        assertThat(classes(picture, "circle", "peak")).isEqualTo(1);
    }

    @Test
    void asksHowManyRunAtOnceWhereThatIsLimited() {
        assertThat(Picture.draw(
                        "x", Scenario.parse(Map.of("algorithm", "concurrency")).run(), 860))
                .contains("How many ran at once? The limit is 10.", ">running<")
                .doesNotContain("got through");
    }

    @Test
    void speaksOtherLanguages() {
        Map<String, String> texts = new HashMap<>(PictureText.englishByKey());
        texts.put("picture-question", "多少？");
        texts.put("algorithm-sliding-log", "<日志>");
        texts.put("unknown", "left out");
        List<Simulation> simulations =
                Scenario.parse(Map.of("algorithm", "sliding-log")).run();
        assertThat(Picture.draw("x", simulations, 400, PictureText.of(texts), PictureStyle.NONE))
                .contains("多少？", "&lt;日志&gt;")
                .doesNotContain("<style", "How many");
        texts.remove("picture-most");
        assertThatThrownBy(() -> PictureText.of(texts)).hasMessage("a picture needs a text for picture-most");
    }

    /** One cell per request while they are few. */
    @Test
    void drawsACellPerRequest() throws Exception {
        Scenario scenario = Scenario.parse(Map.of("algorithm", "sliding-log", "traffic", "flash-sale"));
        Simulation simulation = scenario.run().get(0);
        Document picture = parse(Picture.draw("x", List.of(simulation), 860));
        assertThat(boxes(picture, "yes")).isEqualTo(1 + simulation.allowed());
        assertThat(boxes(picture, "no")).isEqualTo(1 + simulation.denied());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DRAWN")
    void staysInsideItsEdges(Traffic.Shape shape) throws Exception {
        for (String permits : new String[] {"1", "10", "500"}) {
            for (int width : new int[] {320, 860, 1600}) {
                Scenario scenario =
                        Scenario.parse(Map.of("traffic", shape.text(), "permits", permits, "duration", "33s"));
                Document picture = parse(Picture.draw("x", scenario.run(), width));
                String[] box =
                        picture.getDocumentElement().getAttribute("viewBox").split(" ", -1);
                double height = Double.parseDouble(box[3]);
                assertThat(Double.parseDouble(box[2])).isEqualTo(width);
                Matcher moves =
                        Pattern.compile("M([\\d.-]+) ([\\d.-]+)|[HV]([\\d.-]+)").matcher(allPaths(picture));
                while (moves.find()) {
                    if (moves.group(1) != null) {
                        assertThat(Double.parseDouble(moves.group(1))).isBetween(0.0, (double) width);
                        assertThat(Double.parseDouble(moves.group(2))).isBetween(0.0, height);
                    } else {
                        assertThat(Double.parseDouble(moves.group(3))).isBetween(0.0, Math.max(width, height));
                    }
                }
            }
        }
    }

    @Test
    void staysSmallHoweverMuchItShows() {
        Scenario scenario = Scenario.parse(Map.of("traffic", "steady", "permits", "1000", "rate", "2400/10s"));
        assertThat(scenario.traffic().arrivalsMicros().length).isGreaterThan(9_000);
        assertThat(Picture.draw("x", scenario.run(), 1600).length()).isLessThan(1_000_000);
    }

    @Test
    void needsNothingFromElsewhere() {
        String picture = Picture.draw("x", Scenario.parse(Map.of()).run(), 860);
        assertThat(picture.replace("xmlns=\"http://www.w3.org/2000/svg\"", ""))
                .doesNotContain("http", "url(", "href", "<script");
    }

    @Test
    void refusesWhatItCannotDraw() {
        List<Simulation> simulations = Scenario.parse(Map.of()).run();
        assertThatThrownBy(() -> Picture.draw("x", simulations, 319))
                .hasMessage("width must be from 320 to 1600, was 319");
        assertThatThrownBy(() -> Picture.draw("x", List.of(), 860)).hasMessage("nothing to draw");
    }

    private static long classes(Document picture, String tag, String type) {
        long found = 0;
        for (int i = 0; i < picture.getElementsByTagName(tag).getLength(); i++) {
            Element element = (Element) picture.getElementsByTagName(tag).item(i);
            found += element.getAttribute("class").equals(type) ? 1 : 0;
        }
        return found;
    }

    private static long boxes(Document picture, String type) {
        Matcher boxes = Pattern.compile("M").matcher(paths(picture, type));
        return boxes.results().count();
    }

    private static String allPaths(Document picture) {
        return paths(picture, "");
    }

    private static String paths(Document picture, String type) {
        StringBuilder data = new StringBuilder();
        for (int i = 0; i < picture.getElementsByTagName("path").getLength(); i++) {
            Element path = (Element) picture.getElementsByTagName("path").item(i);
            if (type.isEmpty() || path.getAttribute("class").equals(type)) {
                data.append(path.getAttribute("d"));
            }
        }
        return data.toString();
    }

    private static Document parse(String picture) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(picture)));
    }
}
