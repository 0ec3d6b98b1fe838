package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {
    @Test
    void shortRunUnlessSaid() {
        Options options = parse("");
        assertThat(options.effort()).isEqualTo(Effort.SHORT);
        assertThat(options.report()).isEmpty();
    }

    @Test
    void fullRunWritesTheReport() {
        assertThat(parse("--full").report()).contains(Path.of("docs", "benchmarks.md"));
        assertThat(parse("--full --out x.md").report()).contains(Path.of("x.md"));
        assertThat(parse("--write").report()).contains(Path.of("docs", "benchmarks.md"));
    }

    @Test
    void eachSuiteHasAReportOfItsOwn() {
        Options options = Options.parse("redis", List.of("--full"));
        assertThat(options.report()).contains(Path.of("docs", "benchmarks-redis.md"));
        assertThat(options.command()).isEqualTo("./sluice bench redis --full");
    }

    @Test
    void aPartNeverOverwritesTheReport() {
        assertThat(parse("--full --only denied").report()).isEmpty();
        assertThat(parse("--only denied --out part.md").report()).contains(Path.of("part.md"));
    }

    @ParameterizedTest
    @CsvSource({
        "--fast, unknown argument '--fast'",
        "--only, --only needs a value",
        "--only *, is not a regular expression",
        "--short --full, exclude each other",
        "--only denied --write, would overwrite the whole",
    })
    void badArgumentsAreNamed(String args, String message) {
        assertThatThrownBy(() -> parse(args))
                .isInstanceOf(Options.BadOption.class)
                .hasMessageContaining(message);
    }

    private static Options parse(String args) {
        return Options.parse("core", args.isEmpty() ? List.of() : List.of(args.split(" ")));
    }
}
