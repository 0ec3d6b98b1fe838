package dev.sluice.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
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
    @EnumSource
    void saysTheNumbersOfTheSimulations(Traffic.Shape shape) throws Exception {
        Scenario scenario = Scenario.parse(Map.of("traffic", shape.text(), "rate", "50/10s"));
        List<Simulation> simulations = scenario.run();
        Document picture = parse(Picture.draw("a < b & \"c\"", simulations, 860));
        assertThat(picture.getElementsByTagName("title").item(0).getTextContent())
                .isEqualTo("a < b & \"c\"");
        for (int i = 0; i < simulations.size(); i++) {
            Simulation simulation = simulations.get(i);
            Element panel = (Element) picture.getElementsByTagName("g").item(i);
            assertThat(panel.getAttribute("data-allowed")).isEqualTo("" + simulation.allowed());
            assertThat(panel.getAttribute("data-denied")).isEqualTo("" + simulation.denied());
            assertThat(panel.getElementsByTagName("title").item(0).getTextContent())
                    .contains("allowed " + simulation.allowed() + ", denied " + simulation.denied());
            String most = simulation.limit() instanceof dev.sluice.Limit.Concurrency
                    ? "most at once: " + simulation.mostUsed()
                    : "most in any 10s: " + simulation.worst().admitted();
            assertThat(panel.getTextContent()).contains(most);
        }
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
    @EnumSource
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
