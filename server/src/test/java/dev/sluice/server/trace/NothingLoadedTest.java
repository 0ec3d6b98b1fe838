package dev.sluice.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ServeProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, which write down the classes that they load. */
@Tag("full")
class NothingLoadedTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void ofOpenTelemetryUnlessTheVariablesAreSet() throws Exception {
        assertThat(loaded(Map.of("OTEL_SERVICE_NAME", "limits"))).doesNotContain("io.opentelemetry.");
        assertThat(loaded(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")))
                .contains("io.opentelemetry.sdk.OpenTelemetrySdk");
    }

    private String loaded(Map<String, String> variables) throws Exception {
        Path file = folder.resolve("classes");
        Map<String, String> environment = new java.util.HashMap<>(variables);
        environment.put("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + file);
        try (ServeProcess process = ServeProcess.start(environment)) {
            process.stop();
        }
        return Files.readString(file);
    }
}
