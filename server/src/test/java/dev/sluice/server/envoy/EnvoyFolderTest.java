package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnFailure;
import dev.sluice.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder of limits that is watched. */
class EnvoyFolderTest {
    /** Taken when it is the same at the second look; what is wrong changes nothing. */
    @Test
    void aChangeIsTaken(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("a.yaml"), "domain: a");
        try (EnvoyFolder folder = EnvoyFolder.open(directory);
                Store store = Store.local()) {
            EnvoyLimits limits = new EnvoyLimits(store, OnFailure.LOCAL, folder.config());
            Files.writeString(file, "domain: b");
            folder.look(limits);
            assertThat(limits.config().domains()).containsExactly("a");
            folder.look(limits);
            assertThat(limits.config().domains()).containsExactly("b");
            Files.writeString(directory.resolve("c.yaml"), "domane: c");
            folder.look(limits);
            folder.look(limits);
            assertThat(limits.config().domains()).containsExactly("b");
            Files.writeString(directory.resolve("c.yaml"), "domain: c");
            folder.look(limits);
            folder.look(limits);
            assertThat(limits.config().domains()).containsExactlyInAnyOrder("b", "c");
            Files.delete(directory.resolve("c.yaml"));
            folder.look(limits);
            folder.look(limits);
            assertThat(limits.config().domains()).containsExactly("b");
        }
    }
}
