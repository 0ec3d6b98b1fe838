package dev.sluice.bench.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Samples;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SpringReportTest {
    private final Figures figures = new Figures();

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void everyBenchmarkRuns(Kind kind) {
        SpringBench.jmh(kind, Row.SLUICE_FILTER).smoke();
    }

    @Test
    void overheadIsWhatALimiterAddsAndVerdictsFollowIt() {
        add(Kind.REQUEST, Row.NOTHING, 5000);
        add(Kind.REQUEST, Row.SLUICE_FILTER, 6000);
        add(Kind.REQUEST, Row.BUCKET4J_FILTER, 7000);
        add(Kind.REQUEST, Row.RESILIENCE4J_ANNOTATION, 5900);
        assertThat(SpringReport.tables(figures))
                .containsPattern("sluice, filter +\\| 6,000 \\| 6,000-6,000 \\| +1,000 ")
                .containsPattern("than bucket4j, filter +\\| +1,000 ns against 2,000 \\| +holds")
                .containsPattern("than resilience4j, @RateLimiter +\\| +1,000 ns against 900 \\| +misses");
    }

    @Test
    void pageSaysWhatWasMeasuredAndHow() {
        add(Kind.CALL, Row.SLUICE_ANNOTATION, 300);
        Options options = Options.parse("spring", List.of("--full"));
        assertThat(SpringReport.page(figures, options, List.of("Machine: this"), LocalDate.of(2026, 11, 15)))
                .contains("- Date: 2026-11-15\n", "`./sluice bench spring --full`", "- Machine: this\n", "5 rounds");
    }

    private void add(Kind kind, Row row, double nanos) {
        figures.add(kind, row, new Jmh.Cost(Samples.of(nanos), 0));
    }
}
