package dev.sluice.server.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The numbers in docs/capacity.md are those of the calculator. A block begins with the address of the calculator and the
 * part of it that is shown. {@code -Dsluice.docs=write} writes the blocks anew.
 */
class CapacityDocTest {
    private static final Path PAGE = Path.of("..", "docs", "capacity.md");
    private static final Pattern BLOCK = Pattern.compile(
            "^```text\\n/capacity\\?(\\S+)  \\((\\w+)\\)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void everyBlockIsWhatTheCalculatorSays() throws IOException {
        String page = Files.readString(PAGE);
        StringBuilder real = new StringBuilder();
        Matcher blocks = BLOCK.matcher(page);
        int count = 0;
        while (blocks.find()) {
            count++;
            String lines = lines(Capacity.of(parameters(blocks.group(1))), blocks.group(2));
            blocks.appendReplacement(
                    real,
                    Matcher.quoteReplacement(
                            "```text\n/capacity?" + blocks.group(1) + "  (" + blocks.group(2) + ")\n" + lines + "```"));
        }
        blocks.appendTail(real);
        assertThat(count).isGreaterThanOrEqualTo(5);
        if (System.getProperty("sluice.docs", "").equals("write")) {
            Files.writeString(PAGE, real);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(real.toString());
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new HashMap<>();
        for (String pair : query.split("&", -1)) {
            String[] parts = pair.split("=", 2);
            parameters.put(parts[0], parts[1].replace('+', ' '));
        }
        return parameters;
    }

    private static String lines(Capacity capacity, String part) {
        List<Capacity.Fact> facts = switch (part) {
            case "pools" -> capacity.pools();
            case "availability" -> capacity.availability();
            case "limits" -> capacity.limits();
            default -> throw new AssertionError("no such part: " + part);
        };
        Map<String, String> texts = Playground.texts("play-en.json");
        StringBuilder lines = new StringBuilder();
        for (Capacity.Fact fact : facts) {
            lines.append(String.format(Locale.ROOT, "%-50s %14s%n", texts.get("cap-" + fact.key()), shown(fact)));
        }
        return lines.toString();
    }

    private static String shown(Capacity.Fact fact) {
        double value = fact.value();
        return switch (fact.unit()) {
            case COUNT -> String.format(Locale.ROOT, "%,.0f", value);
            case RATE ->
                String.format(Locale.ROOT, value == Math.rint(value) || value >= 100 ? "%,.0f" : "%.2f", value);
            case SECONDS -> seconds(value);
            case SHARE -> String.format(Locale.ROOT, value > 0.9 ? "%.4f %%" : "%.2f %%", value * 100);
        };
    }

    private static String seconds(double seconds) {
        if (seconds < 60) {
            return String.format(Locale.ROOT, "%.1f s", seconds);
        }
        return seconds < 3600
                ? String.format(Locale.ROOT, "%.1f min", seconds / 60)
                : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
    }
}
