package dev.sluice.bench.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.spring.SpringBench.Cell;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SpringReportTest {
    private final Measurements figures = new Measurements();

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void everyBenchmarkRuns(Kind kind) {
        new Cell(kind, StarterRow.SLUICE_FILTER).jmh().smoke();
    }

    @Test
    void overheadIsWhatALimiterAddsAndVerdictsFollowIt() {
        add(Kind.REQUEST, StarterRow.NOTHING, 5000);
        add(Kind.REQUEST, StarterRow.SLUICE_FILTER, 6000);
        add(Kind.REQUEST, StarterRow.BUCKET4J_FILTER, 7000);
        add(Kind.REQUEST, StarterRow.RESILIENCE4J_ANNOTATION, 5900);
        assertThat(report().body())
                .containsPattern("sluice, filter +\\| 6,000 \\| 6,000-6,000 \\| +1,000 ")
                .containsPattern("than bucket4j, filter +\\| +1,000 ns against 2,000 \\| +holds")
                .containsPattern("than resilience4j, @RateLimiter +\\| +1,000 ns against 900 \\| +misses");
    }

    @Test
    void pageSaysWhatWasMeasuredAndHow() {
        add(Kind.CALL, StarterRow.SLUICE_ANNOTATION, 300);
        Options options = new Options("spring", Effort.FULL, Pattern.compile(""), Optional.empty());
        assertThat(report().page(options, List.of("Machine: this"), LocalDate.of(2026, 11, 15)))
                .contains("- Date: 2026-11-15\n", "`./sluice bench spring --full`", "- Machine: this\n", "5 rounds");
    }

    private Report report() {
        return SpringReport.of(figures, Effort.FULL);
    }

    private void add(Kind kind, StarterRow row, double nanos) {
        figures.add(new Cell(kind, row), Jmh.Figure.NANOS, nanos);
        figures.add(new Cell(kind, row), Jmh.Figure.BYTES, 0);
    }
}
