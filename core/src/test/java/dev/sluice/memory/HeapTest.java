package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 14 in JVMs with small heaps: nothing runs out of memory, and what is counted is what is there. */
@Tag("full")
class HeapTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "token-bucket",
                "fixed-window",
                "sliding-window",
                "sliding-window-3600",
                "sliding-log",
                "concurrency"
            })
    void aFloodStaysWithinASmallHeap(String limit) throws IOException, InterruptedException {
        Map<String, String> printed = run("-Xmx24m", "flood", limit, 200_000);
        assertThat(printed).isEqualTo(Map.of("kept", "true", "within", "true", "atBound", "true"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"token-bucket", "fixed-window", "sliding-window-3600", "sliding-log", "concurrency"})
    void aKeyTakesWhatIsCounted(String limit) throws IOException, InterruptedException {
        assertClose(run("-Xmx512m", "keys", limit, 200_000));
    }

    @Test
    void aLimiterTakesWhatIsCounted() throws IOException, InterruptedException {
        Map<String, String> printed = run("-Xmx512m", "limiters", "token-bucket", 50_000);
        assertThat(Long.parseLong(printed.getOrDefault("heap", ""))).isLessThan(1500);
        assertClose(printed);
    }

    private static void assertClose(Map<String, String> printed) {
        long heap = Long.parseLong(printed.getOrDefault("heap", ""));
        long said = Long.parseLong(printed.getOrDefault("said", ""));
        assertThat(said).as("of %d bytes", heap).isBetween(heap * 7 / 10, heap * 13 / 10);
    }

    private static Map<String, String> run(String heap, String command, String limit, int count)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        heap,
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HeapProgram.class.getName(),
                        command,
                        limit,
                        Integer.toString(count)))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        Map<String, String> printed = new HashMap<>();
        for (String line : output.lines().toList()) {
            int equals = line.indexOf('=');
            printed.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
        }
        return printed;
    }
}
