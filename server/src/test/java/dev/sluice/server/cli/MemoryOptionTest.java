package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.server.ServeProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a server takes the bound on its memory from, and how it shows it. */
@Tag("full")
class MemoryOptionTest {
    private static final Pattern ADMIN_PORT = Pattern.compile("adminPort=(\\d+)");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void theOptionGoesBeforeTheEnvironmentAndThatBeforeTheFile() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                memory: 3MB
                rules:
                  - { name: all, limits: [5 per 1h] }
                """);
        String file = rules.toString();
        assertThat(metric(Map.of("SLUICE_MEMORY", "2MB"), "--rules", file, "--memory", "1MB"))
                .isEqualTo(1 << 20);
        assertThat(metric(Map.of("SLUICE_MEMORY", "2MB"), "--rules", file)).isEqualTo(2 << 20);
        assertThat(metric(Map.of(), "--rules", file)).isEqualTo(3 << 20);
    }

    @Test
    void aBadValueInTheEnvironmentIsNamedAsSuch() {
        assertThatThrownBy(() -> ServeProcess.start(Map.of("SLUICE_MEMORY", "plenty")))
                .hasMessageContaining("sluice serve: SLUICE_MEMORY: expected a size such as 256MB")
                .hasMessageContaining("was 'plenty'");
    }

    /** The bound that a server shows; the other numbers of its memory are there, too. */
    private static long metric(Map<String, String> environment, String... options) throws Exception {
        try (ServeProcess server = ServeProcess.start(environment, options)) {
            Matcher port = ADMIN_PORT.matcher(String.join("\n", server.said()));
            assertThat(port.find()).isTrue();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.group(1) + "/metrics"))
                    .timeout(Duration.ofSeconds(30))
                    .build();
            String metrics = HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body();
            assertThat(value(metrics, "sluice_store_bytes")).isPositive();
            assertThat(value(metrics, "sluice_store_keys")).isNotNegative();
            assertThat(value(metrics, "sluice_store_at_bound_total")).isZero();
            return (long) value(metrics, "sluice_store_bytes_max");
        }
    }

    private static double value(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not in " + metrics));
    }
}
