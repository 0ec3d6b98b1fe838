package dev.sluice.bench.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.server.LoadGenerators.Burst;
import dev.sluice.bench.server.ServerBench.Figure;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ServerReportTest {
    private final Measurements figures = new Measurements();

    @Test
    void ratiosAreMediansOverMedians() {
        add(ServerRow.NGINX_LIMIT, Figure.PER_SECOND, 40_000, 50_000, 90_000);
        add(ServerRow.CHECK, Figure.PER_SECOND, 45_000, 20_000, 46_000);
        assertThat(report().body())
                .containsPattern("sluice GET /v1/check +\\| +45,000 \\| 20,000-46,000 \\| +0.90 ")
                .doesNotContain("HAProxy");
    }

    @Test
    void verdictsFollowTheFigures() {
        add(ServerRow.NGINX_LIMIT, Figure.PER_SECOND, 50_000);
        add(ServerRow.NGINX_LIMIT, Figure.CPU_MICROS, 16);
        add(ServerRow.CHECK, Figure.PER_SECOND, 50_100);
        add(ServerRow.CHECK, Figure.CPU_MICROS, 20.1);
        add(ServerRow.FOR_NGINX, Figure.PER_SECOND, 44_000);
        add(ServerRow.RLS, Figure.CPU_MICROS, 23);
        add(ServerRow.MANY_RULES, Figure.CPU_MICROS, 30.2);
        add(ServerRow.ONE_KEY, Figure.CPU_MICROS, 20);
        add(ServerRow.MANY_KEYS, Figure.CPU_MICROS, 29);
        add(ServerRow.CHECK_256, Figure.PER_SECOND, 47_000);
        add(ServerRow.ON_REDIS, Figure.PER_SECOND, 43_000);
        add(ServerRow.WATCHED, Figure.PER_SECOND, 47_500);
        String check = "sluice GET /v1/check: ";
        assertThat(verdict(check + "at least 1.0 x the requests of nginx, limit_req"))
                .isEqualTo("holds");
        assertThat(verdict(check + "at most 1.2 x the processor time of nginx")).isEqualTo("misses");
        String nginx = "sluice GET /nginx: ";
        assertThat(verdict(nginx + "at least 1.0 x the requests of nginx, limit_req"))
                .isEqualTo("misses");
        assertThat(verdict(nginx + "at most 1.2 x the processor time of nginx")).isEqualTo("not measured");
        assertThat(verdict("RLS over gRPC")).isEqualTo("holds");
        assertThat(verdict("/v1/check on Redis")).isEqualTo("holds");
        assertThat(verdict("10 pages open")).isEqualTo("misses");
        assertThat(verdict("from 10 to 10,000 rules")).isEqualTo("misses");
        assertThat(verdict("from 1 to 1,000,000 keys")).isEqualTo("holds");
    }

    @Test
    void pageSaysWhatWasMeasuredAndOnWhat() {
        add(ServerRow.CHECK, Figure.PER_SECOND, 1);
        Options options = new Options("server", Effort.FULL, Pattern.compile(""), Optional.empty());
        String page = report().page(options, List.of("Machine: this"), LocalDate.of(2026, 11, 15));
        assertThat(page)
                .contains("- Date: 2026-11-15\n", "`./sluice bench server --full`", "- Machine: this\n")
                .contains("9 rounds of 4 s", "2,000 requests a second", "| sluice GET /v1/check |");
    }

    @Test
    void whatTheGeneratorsPrintIsRead() {
        assertThat(LoadGenerators.parseWrk("  155369 requests in 5.04s, 62.15MB read\nRequests/sec:  30849.33\n"))
                .isEqualTo(new Burst(155_369, 5.04));
        assertThatThrownBy(() ->
                        LoadGenerators.parseWrk("  9 requests in 1.00s, 1MB read\n  Non-2xx or 3xx responses: 4\n"))
                .hasMessageContaining("Non-2xx or 3xx responses: 4");
        String done = "requests: 8 total, 9 started, 8 done, 8 succeeded, %d failed, 0 errored, 0 timeout";
        assertThat(LoadGenerators.parseH2load("finished in 500.10ms, 16 req/s\n" + done.formatted(0)))
                .isEqualTo(new Burst(8, 0.5001));
        assertThatThrownBy(() -> LoadGenerators.parseH2load("finished in 3.00s\n" + done.formatted(1)))
                .hasMessageContaining("1 failed");
        assertThat(LoadGenerators.Delays.of(List.of(5L, 1L, 4L, 2L, 3L))).isEqualTo(new LoadGenerators.Delays(3, 5));
    }

    private Report report() {
        return ServerReport.of(figures, Effort.FULL);
    }

    private String verdict(String promise) {
        List<String> verdicts = report().targets().stream()
                .filter(target -> target.promise().startsWith(promise))
                .map(target -> target.verdict().word)
                .toList();
        assertThat(verdicts).as(promise).hasSize(1);
        return verdicts.get(0);
    }

    private void add(ServerRow row, Figure what, double... values) {
        for (double value : values) {
            figures.add(row, what, value);
        }
    }
}
