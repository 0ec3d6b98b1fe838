package dev.sluice.bench.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.Jmh;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Samples;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CoreReportTest {
    private final Results results = new Results();

    @Test
    void ratiosAreMediansOverMedians() {
        add(Group.DENIED, "floorClockRead", 1, 30, 32, 90);
        add(Group.DENIED, "sluiceTokenBucket", 1, 33, 36, 36);
        assertThat(Report.tables(results))
                .contains("| floor: clock + read |")
                .containsPattern("sluice token bucket \\| +36.0 \\| +33.0-36.0 \\| +1.13 ");
    }

    @Test
    void roundsAreAddedUp() {
        add(Group.DENIED, "guava", 1, 10);
        add(Group.DENIED, "guava", 1, 30);
        assertThat(results.nanos(Group.DENIED, "guava", 1)).contains(20.0);
    }

    @Test
    void verdictsFollowTheFigures() {
        add(Group.DENIED, "floorClockRead", 1, 30);
        add(Group.DENIED, "sluiceTokenBucket", 1, 34.5);
        add(Group.DENIED, "sluiceTokenBucket", 2, 40);
        add(Group.ALLOWED, "floorClockCas", 1, 30);
        add(Group.ALLOWED, "sluiceFixedWindow", 1, 34.6);
        add(Group.ALLOWED, "guava", 1, 34.5);
        add(Group.ALLOWED, "sentinel", 1, 900);
        results.add(MemoryProbe.KEYS_TOKEN_BUCKET, Map.of(MemoryProbe.BYTES, 80L));
        results.add(MemoryProbe.LOG_SLUICE, Map.of(MemoryProbe.BYTES, 9001L));
        results.add(MemoryProbe.IDLE_TOKEN_BUCKET, Map.of(MemoryProbe.EMPTY, 100L, MemoryProbe.AFTER, 105L));
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
    void pageSaysWhatWasMeasuredAndOnWhat() {
        add(Group.ALLOWED, "guava", 1, 40);
        String page = Report.page(results, Options.parse("core", List.of("--full")), LocalDate.of(2026, 11, 15));
        assertThat(page).contains("- Date: 2026-11-15\n", "`./sluice bench core --full`", "Guava 3", "Sentinel 1.");
        assertThat(page).doesNotContain("%s");
    }

    private String verdict(String promise) {
        List<String> verdicts = Targets.of(results).stream()
                .filter(target -> target.promise().startsWith(promise))
                .map(target -> target.verdict().word)
                .toList();
        assertThat(verdicts).as(promise).hasSize(1);
        return verdicts.get(0);
    }

    private void add(Group group, String benchmark, int threads, double... nanos) {
        results.add(new Speed.Cell(group, benchmark, threads), new Jmh.Cost(Samples.of(nanos), 0));
    }
}
