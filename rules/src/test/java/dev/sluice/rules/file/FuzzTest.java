package dev.sluice.rules.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever a file says, it is read or refused with reasons, and soon. */
@Tag("slow")
class FuzzTest {
    private static final int MUTATIONS = Integer.getInteger("sluice.mutations", 2_000);
    private static final long SEED = Long.getLong("sluice.seed", 42);
    private static final List<String> PIECES = List.of(
            "rules",
            "limits",
            "name",
            "when",
            "not",
            "per",
            " per ",
            "unlimited",
            "at once",
            "&a",
            "*a",
            "? ",
            ": ",
            "- ",
            "\n",
            "\n  ",
            "\t",
            "{",
            "}",
            "[",
            "]",
            "'",
            "\"",
            "|",
            ">",
            "#",
            "!",
            "!!int",
            "%",
            "%YAML 1.2\n",
            "---\n",
            "...\n",
            "\\",
            "\u0000",
            "\uFFFE",
            "\ud800",
            "é",
            "𝄞",
            "9".repeat(40),
            "-1",
            "0",
            "1e9",
            "0x1",
            "null",
            "~",
            "sliding-log",
            "aligned=",
            "=",
            "1h",
            "**",
            "*",
            "10.0.0.0/8",
            "::",
            "50%",
            "wait up to 1s");

    @Test
    void mutationsOfGoodAndBadFiles() {
        List<Sample> samples = new ArrayList<>(Sample.all("good"));
        samples.addAll(Sample.all("bad"));
        samples.add(new Sample("example", RuleFile.exampleText()));
        Random random = new Random(SEED);
        int read = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            String text = samples.get(random.nextInt(samples.size())).text();
            for (int change = random.nextInt(6); change >= 0; change--) {
                text = mutated(text, random);
            }
            read += isRead(text) ? 1 : 0;
        }
        assertThat(read).as("files that were still good").isPositive();
    }

    @Test
    void thingsThatReadersChokeOn() {
        for (String text : List.of(
                "[".repeat(50_000),
                "{a: ".repeat(50_000),
                "- ".repeat(50_000),
                "rules: " + "\"" + "x".repeat(200_000),
                "rules: [" + "a,".repeat(50_000) + "]",
                "? ".repeat(20_000),
                "rules: &a [" + "*a,".repeat(50_000) + "]",
                "rules: " + "!".repeat(50_000),
                "&a ".repeat(10_000),
                "#".repeat(200_000),
                "rules:\n" + " ".repeat(200_000) + "- x",
                "rules: |\n" + " x\n".repeat(50_000),
                "a: &a x\nrules: [" + "*a, ".repeat(50_000) + "]")) {
            assertTimeoutPreemptively(Duration.ofSeconds(20), () -> isRead(text), text.substring(0, 8));
        }
    }

    private static boolean isRead(String text) {
        try {
            RuleFile.parse("fuzz.yaml", text);
            return true;
        } catch (RuleFileException e) {
            assertThat(e.problems())
                    .isNotEmpty()
                    .allSatisfy(problem -> assertThat(problem.message()).isNotBlank());
            return false;
        }
    }

    private static String mutated(String text, Random random) {
        int at = random.nextInt(text.length() + 1);
        int end = Math.min(text.length(), at + random.nextInt(12));
        String piece = PIECES.get(random.nextInt(PIECES.size()));
        return switch (random.nextInt(5)) {
            case 0 -> text.substring(0, at) + text.substring(end);
            case 1 -> text.substring(0, at) + piece + text.substring(at);
            case 2 -> text.substring(0, at) + piece + text.substring(end);
            case 3 ->
                text.substring(0, at) + text.substring(at, end).repeat(1 + random.nextInt(4)) + text.substring(end);
            default -> text.substring(0, at) + (char) random.nextInt(0x300) + text.substring(end);
        };
    }
}
