package dev.sluice.bench.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Report;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CoreReportTest {
    private final Measurements figures = new Measurements();

    @Test
    void ratiosAreMediansOverMedians() {
        add(Group.DENIED, Contender.CLOCK_READ, 1, 30, 32, 90);
        add(Group.DENIED, Contender.TOKEN_BUCKET, 1, 33, 36, 36);
        assertThat(report().body())
                .contains("| floor: clock + read |")
                .containsPattern("sluice token bucket \\| +36.0 \\| +33.0-36.0 \\| +1.13 ");
    }

    @Test
    void roundsAreAddedUp() {
        add(Group.DENIED, Contender.GUAVA, 1, 10);
        add(Group.DENIED, Contender.GUAVA, 1, 30);
        assertThat(figures.median(new SpeedRow(Group.DENIED, Contender.GUAVA, 1), Jmh.Figure.NANOS))
                .contains(20.0);
    }

    @Test
    void verdictsFollowTheFigures() {
        add(Group.DENIED, Contender.CLOCK_READ, 1, 30);
        add(Group.DENIED, Contender.TOKEN_BUCKET, 1, 34.5);
        add(Group.DENIED, Contender.TOKEN_BUCKET, 2, 40);
        add(Group.ALLOWED, Contender.CLOCK_CAS, 1, 30);
        add(Group.ALLOWED, Contender.FIXED_WINDOW, 1, 34.6);
        add(Group.ALLOWED, Contender.GUAVA, 1, 34.5);
        add(Group.ALLOWED, Contender.SENTINEL, 1, 900);
        figures.add(MemoryProbe.KEYS_TOKEN_BUCKET, MemoryProbe.BYTES, 80);
        figures.add(MemoryProbe.LOG_SLUICE, MemoryProbe.BYTES, 9001);
        figures.add(MemoryProbe.IDLE_TOKEN_BUCKET, MemoryProbe.EMPTY, 100);
        figures.add(MemoryProbe.IDLE_TOKEN_BUCKET, MemoryProbe.AFTER, 105);
        assertThat(verdict("denied sluice token bucket, 1 thread: at most 1.15 x"))
                .isEqualTo("holds");
        assertThat(verdict("denied sluice token bucket, 2 threads: at most 1.15 x"))
                .isEqualTo("not measured");
        assertThat(verdict("denied sluice token bucket: 2 threads do at least 1.8 x"))
                .isEqualTo("misses");
        assertThat(verdict("allowed sluice fixed window, 1 thread: at most 1.15 x"))
                .isEqualTo("misses");
        assertThat(verdict("allowed sluice fixed window, 1 thread: ahead")).isEqualTo("misses");
        assertThat(verdict("allowed sluice fixed window, 2 threads: ahead")).isEqualTo("not measured");
        assertThat(verdict("allowed sluice fixed window: allocates nothing")).isEqualTo("holds");
        assertThat(verdict("retained per key, sluice token bucket")).isEqualTo("holds");
        assertThat(verdict("a sliding log of 1,000")).isEqualTo("misses");
        assertThat(verdict("ten million one-off keys")).isEqualTo("holds");
    }

    @Test
    void aShortRunIsOneShortRound() {
        assertThat(CoreBench.rounds(Effort.SHORT)).isEqualTo(1);
        assertThat(CoreBench.timing(Effort.SHORT)).isEqualTo(new Jmh.Timing(2, 300, 3, 200));
    }

    @Test
    void versionsOfTheLibrariesAreKnown() {
        assertThat(CoreBench.versions())
                .hasEntrySatisfying("Guava", version -> assertThat(version).startsWith("3"))
                .hasEntrySatisfying("Sentinel", version -> assertThat(version).startsWith("1."));
    }

    @Test
    void pageSaysWhatWasMeasuredAndOnWhat() {
        add(Group.ALLOWED, Contender.GUAVA, 1, 40);
        Options options = new Options("core", Effort.FULL, Pattern.compile(""), Optional.empty());
        String page = report().page(options, List.of("Machine: this"), LocalDate.of(2026, 11, 15));
        assertThat(page)
                .contains("- Date: 2026-11-15\n", "`./sluice bench core --full`", "- Machine: this\n")
                .contains("5 interleaved rounds", "| guava ");
        assertThat(page).doesNotContain("%s");
    }

    private String verdict(String promise) {
        List<String> verdicts = report().targets().stream()
                .filter(target -> target.promise().startsWith(promise))
                .map(target -> target.verdict().word)
                .toList();
        assertThat(verdicts).as(promise).hasSize(1);
        return verdicts.get(0);
    }

    private Report report() {
        return CoreReport.of(figures, Effort.FULL);
    }

    private void add(Group group, Contender contender, int threads, double... nanos) {
        SpeedRow row = new SpeedRow(group, contender, threads);
        figures.add(row, Jmh.Figure.NANOS, nanos);
        figures.add(row, Jmh.Figure.BYTES, 0);
    }
}
