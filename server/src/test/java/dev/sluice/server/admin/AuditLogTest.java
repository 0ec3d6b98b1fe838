package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines that can be read, also after one that could not be written. */
class AuditLogTest {
    /** A disk with so much space. */
    private static final class Disk extends OutputStream {
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        int space;

        Disk(int space) {
            this.space = space;
        }

        @Override
        public void write(int one) throws IOException {
            if (space == 0) {
                throw new IOException("No space left on device");
            }
            space--;
            written.write(one);
        }
    }

    @Test
    void aFullDiskIsCountedAndTheNextLineIsWhole() {
        Disk disk = new Disk(100);
        try (AuditLog audit = AuditLog.to(disk)) {
            audit.record("ada@127.0.0.1", "rules", new JsonObject().put("after", "1"));
            audit.record("ada@127.0.0.1", "rules", new JsonObject().put("after", "2"));
            audit.record("ada@127.0.0.1", "rules", new JsonObject().put("after", "3"));
            assertThat(audit.failures.sum()).isEqualTo(2);
            disk.space = 1000;
            audit.record("ada@127.0.0.1", "rules", new JsonObject().put("after", "4"));
            audit.record("ada@127.0.0.1", "rules", new JsonObject().put("after", "5"));
            assertThat(audit.failures.sum()).isEqualTo(2);
        }
        List<String> lines = disk.written.toString(UTF_8).lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(after(lines.get(0))).isEqualTo("1");
        assertThat(after(lines.get(2))).isEqualTo("4");
        assertThat(after(lines.get(3))).isEqualTo("5");
    }

    @Test
    void aFileThatEndsWithinALineGetsANewOne(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("audit.log"), "{\"audit\":\"rul");
        for (String after : List.of("1", "2")) {
            try (AuditLog audit = AuditLog.toFile(file)) {
                audit.record("ada@127.0.0.1", "rules", new JsonObject().put("after", after));
            }
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3);
        assertThat(after(lines.get(1))).isEqualTo("1");
        assertThat(after(lines.get(2))).isEqualTo("2");
    }

    private static String after(String line) {
        return new JsonObject(line).getString("after");
    }
}
