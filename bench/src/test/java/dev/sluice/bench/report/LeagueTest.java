package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeagueTest {
    private static final Path DOCS = Path.of("../docs");

    @TempDir
    Path folder;

    @Test
    void theBestOfEachSideMeet() throws IOException {
        Files.writeString(folder.resolve("benchmarks.md"), """
                # Benchmarks

                - Date: 2026-01-02
                - Command: `./sluice bench core --full`
                - Machine: a machine

                ## Allowed

                | allowed       | ns, 1 thread | min-max | x floor |
                | ------------- | -----------: | ------: | ------: |
                | floor: clock  |          1.0 |     1-1 |    1.00 |
                | sluice slow   |        1,250 |     1-2 |    1.00 |
                | sluice fast   |         10.0 |     1-2 |    1.00 |
                | peer          |         20.0 |     1-2 |    1.00 |
                | absent        |              |         |         |

                ## Only Sluice

                | x             |   ns |
                | ------------- | ---: |
                | sluice fast   |   10 |

                ## Targets: 0 missed of 1 measured

                | target | measured |
                | ------ | -------: |
                | sluice |        1 |
                | peer   |        1 |
                """);
        Files.writeString(folder.resolve("benchmarks-redis.md"), """
                ## Throughput

                | decisions per second | 1 thread |
                | -------------------- | -------: |
                | sluice token bucket  |    1,000 |
                | Peer                 |    4,000 |
                """);
        assertThat(League.page(folder))
                .contains("- [core](benchmarks.md): 2026-01-02; `./sluice bench core --full`; a machine\n")
                .contains("## Sluice is ahead in 1, level in 0 and behind in 1\n")
                .containsPattern("\\| core +\\| Allowed +\\| ns, 1 thread +\\| sluice fast +\\| peer +"
                        + "\\| +10\\.0 \\| +20\\.0 \\| +2\\.00 \\| +1, 3 of 3 \\|")
                .containsPattern(
                        "\\| redis +\\| Throughput +\\| per second, 1 thread +\\| sluice token bucket +\\| Peer +"
                                + "\\| +1,000 \\| +4,000 \\| +0\\.25 \\| +2 of 2 \\|")
                .doesNotContain("Only Sluice", "| Targets");
    }

    @Test
    void aFolderWithoutResultsIsRefused() {
        assertThatThrownBy(() -> League.page(folder))
                .isInstanceOf(Options.BadOption.class)
                .hasMessageContaining("./sluice bench all");
    }

    /** The table in docs is that of the pages in docs. */
    @Test
    void theTableIsNotOlderThanThePages() throws IOException {
        assertThat(Files.readString(League.file(DOCS)))
                .as("./sluice bench league writes it anew")
                .isEqualTo(League.page(DOCS));
    }
}
