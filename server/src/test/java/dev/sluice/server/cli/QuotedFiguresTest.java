package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A ratio that a page quotes is the one of the benchmarks' last run. The comment behind the number says where it comes
 * from: the file, the section, the column, and the two rows. {@code -Dsluice.docs=write} writes the numbers anew.
 *
 * <pre>{@code 2.3<!-- benchmarks.md; One hot limiter, every call allowed; ns, 2 threads; guava / sluice token bucket -->}</pre>
 */
class QuotedFiguresTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern QUOTE =
            Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(<!-- (benchmarks\\S*\\.md); (.+?); (.+?); (.+?) / (.+?) -->)");

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "README.zh-CN.md", "docs/comparison.md"})
    void everyRatioIsThatOfTheLastRun(String name) throws IOException {
        Path page = ROOT.resolve(name);
        String text = Files.readString(page);
        List<String> missing = new ArrayList<>();
        String measured = QUOTE.matcher(text).replaceAll(quote -> {
            String ratio = ratio(quote, missing);
            return Matcher.quoteReplacement(ratio + quote.group(2));
        });
        assertThat(missing).isEmpty();
        assertThat(quotes(text)).hasSizeGreaterThan(2);
        if (System.getProperty("sluice.docs", "").equals("write")) {
            Files.writeString(page, measured);
        } else {
            assertThat(quotes(text))
                    .as("%s; -Dsluice.docs=write writes the figures of the last run into it", name)
                    .isEqualTo(quotes(measured));
        }
    }

    private static List<String> quotes(String text) {
        return QUOTE.matcher(text).results().map(MatchResult::group).toList();
    }

    private static String ratio(MatchResult quote, List<String> missing) {
        try {
            String column = quote.group(5);
            List<List<String>> table = table(quote.group(3), quote.group(4));
            double over = figure(table, quote.group(6), column);
            double under = figure(table, quote.group(7), column);
            double ratio = over / under;
            return String.format(Locale.ROOT, ratio < 10 ? (ratio < 0.995 ? "%.2f" : "%.1f") : "%.0f", ratio);
        } catch (IOException | RuntimeException e) {
            missing.add(quote.group() + ": " + e.getMessage());
            return quote.group(1);
        }
    }

    /** The first table below a heading: its head and its rows. */
    private static List<List<String>> table(String file, String section) throws IOException {
        String page = Files.readString(ROOT.resolve("docs").resolve(file));
        int start = page.indexOf("\n## " + section + "\n");
        if (start < 0) {
            throw new IllegalArgumentException("there is no section '" + section + "' in " + file);
        }
        return page.substring(start + 1)
                .lines()
                .dropWhile(line -> !line.startsWith("|"))
                .takeWhile(line -> line.startsWith("|"))
                .map(line ->
                        Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
                .toList();
    }

    private static double figure(List<List<String>> table, String row, String column) {
        int at = table.get(0).indexOf(column);
        if (at < 0) {
            throw new IllegalArgumentException("there is no column '" + column + "' in " + table.get(0));
        }
        return table.stream()
                .filter(cells -> cells.get(1).equals(row))
                .map(cells -> Double.parseDouble(cells.get(at).replace(",", "")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no row '" + row + "'"));
    }
}
