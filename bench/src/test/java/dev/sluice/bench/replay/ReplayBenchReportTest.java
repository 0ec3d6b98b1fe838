package dev.sluice.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.replay.ReplayBench.Figure;
import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Report;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReplayBenchReportTest {
    private final Measurements figures = new Measurements();

    @Test
    void ratiosAreMediansOfProcessorTimeOverMedians() {
        figures.add(LogReader.MAWK, Figure.CPU_MICROS, 1.0, 1.2, 5.0);
        figures.add(LogReader.REPLAY, Figure.CPU_MICROS, 1.8, 9.0, 1.7);
        assertThat(report().body()).containsPattern("one rule by ip and minute.* 1.80 \\| 1.70-9.00 \\| +1.50 ");
    }

    @Test
    void verdictsFollowTheFigures() {
        figures.add(LogReader.MAWK, Figure.CPU_MICROS, 1);
        figures.add(LogReader.GOACCESS, Figure.CPU_MICROS, 2.1);
        figures.add(LogReader.REPLAY, Figure.CPU_MICROS, 2);
        figures.add(LogReader.SUGGEST, Figure.CPU_MICROS, 2.2);
        figures.add(LogReader.REPLAY, Figure.MEGABYTES, 400, 513);
        figures.add(LogReader.SUGGEST, Figure.MEGABYTES, 512);
        String replay = LogReader.REPLAY.label;
        assertThat(verdict(replay + ": at most 2 x the processor time of mawk")).isEqualTo("holds");
        assertThat(verdict(replay + ": less processor time than GoAccess")).isEqualTo("holds");
        assertThat(verdict(replay + ": at most 512 MB")).isEqualTo("misses");
        assertThat(verdict("sluice suggest: at most 2 x")).isEqualTo("misses");
        assertThat(verdict("sluice suggest: less processor time than GoAccess")).isEqualTo("misses");
        assertThat(verdict("sluice suggest: at most 512 MB")).isEqualTo("holds");
        assertThat(verdict(LogReader.REPLAY_PATHS.label + ": at most 2 x")).isEqualTo("not measured");
    }

    @Test
    void pageSaysWhatWasMeasuredAndHow() {
        figures.add(LogReader.SUGGEST, Figure.PER_SECOND, 1);
        Options options = new Options("replay", Effort.FULL, Pattern.compile(""), Optional.empty());
        assertThat(report().page(options, List.of("Machine: this"), LocalDate.of(2026, 11, 16)))
                .contains("`./sluice bench replay --full`", "about 10,000,000 lines", "3 rounds", ReplayBench.HEAP)
                .contains("| sluice suggest ");
    }

    @Test
    void whatProgramsCountedIsRead() {
        assertThat(ReplayBench.counted("20 requests, 3 minutes of an address")).isEqualTo(20);
        assertThat(ReplayBench.counted("access.log (combined): 9,999,871 requests from 2026"))
                .isEqualTo(9_999_871);
        assertThat(ReplayBench.counted("{\"general\": {\n\t\"total_requests\": 2012,"))
                .isEqualTo(2012);
        assertThatThrownBy(() -> ReplayBench.counted("nothing")).hasMessageContaining("nothing");
    }

    private Report report() {
        return ReplayBenchReport.of(figures, Effort.FULL);
    }

    private String verdict(String promise) {
        List<String> verdicts = report().targets().stream()
                .filter(target -> target.promise().startsWith(promise))
                .map(target -> target.verdict().word)
                .toList();
        assertThat(verdicts).as(promise).hasSize(1);
        return verdicts.get(0);
    }
}
