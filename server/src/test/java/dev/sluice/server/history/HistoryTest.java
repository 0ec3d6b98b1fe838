package dev.sluice.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class HistoryTest {
    private static final long START = 1_789_000_020; // 20 seconds after a minute began

    private final FakeCounters counters = new FakeCounters(START);

    @Test
    void eachSecondHasWhatWasCountedInIt() {
        counters.count("a", Column.ALLOWED, 3).tick();
        counters.count("a", Column.ALLOWED, 2).count("a", Column.DENIED, 1).tick();
        counters.tick();
        History.Series series = series("a");
        assertThat(series.step()).isEqualTo(1);
        assertThat(series.counts()).hasSize(History.SECONDS);
        assertThat(series.from() + History.SECONDS - 1).isEqualTo(counters.second() - 1);
        assertThat(last(series, Column.ALLOWED, 3)).containsExactly(3L, 2L, 0L);
        assertThat(last(series, Column.DENIED, 3)).containsExactly(0L, 1L, 0L);
        assertThat(series.counts().get(0)).as("before it started").isNull();
    }

    @Test
    void aRuleThatIsRemovedAndAddedAgainBeginsAnew() {
        counters.count("a", Column.ALLOWED, 30).tick();
        counters.forget("a");
        counters.count("b", Column.ALLOWED, 1).tick();
        counters.count("a", Column.ALLOWED, 4).tick();
        assertThat(last(series("a"), Column.ALLOWED, 3)).containsExactly(30L, 0L, 4L);
        assertThat(last(series("b"), Column.ALLOWED, 3)).containsExactly(0L, 1L, 0L);
    }

    @Test
    void aRuleThatIsUnknownHasNothing() {
        counters.tick();
        assertThat(last(series("<script>"), Column.ALLOWED, 1)).containsExactly(0L);
    }

    @Test
    void denialsThatOnlyDegradeAreNotDenials() {
        counters.count("a", Column.DENIED, 5).count("a", Column.DEGRADED, 4).tick();
        assertThat(last(series("a"), Column.DENIED, 1)).containsExactly(1L);
        assertThat(last(series("a"), Column.DEGRADED, 1)).containsExactly(4L);
    }

    @Test
    void whatIsLateIsNotAGap() {
        counters.tick();
        counters.jump(3).count("a", Column.ALLOWED, 7).tick();
        assertThat(last(series("a"), Column.ALLOWED, 4)).containsExactly(0L, 0L, 0L, 7L);
    }

    @Test
    void aDayHasEachMinuteAndForgetsTheOneBefore() {
        for (int i = 0; i < 26 * 3600; i++) {
            counters.count("a", Column.ALLOWED, 2).tick();
        }
        History.Series minutes = counters.recorder.history().minutes("a");
        assertThat(minutes.step()).isEqualTo(60);
        assertThat(minutes.counts())
                .hasSize(History.MINUTES)
                .allSatisfy(counts -> assertThat(History.at(Objects.requireNonNull(counts), 0))
                        .isEqualTo(120));
        assertThat(counters.sum("a", Column.ALLOWED)).isEqualTo(2L * History.SECONDS);
        assertThat(counters.recorder.history().rulesOfDay().getOrDefault("a", new long[1])[0])
                .isEqualTo(120L * History.MINUTES);
    }

    /** A clock that is put back an hour, and forward a day: seconds are shown under the times that the clock had. */
    @Test
    void otherClocks() {
        for (int i = 0; i < 1000; i++) {
            counters.count("a", Column.ALLOWED, 1).tick();
        }
        counters.jump(-3600);
        for (int i = 0; i < 10; i++) {
            counters.count("a", Column.ALLOWED, 5).tick();
        }
        assertThat(last(series("a"), Column.ALLOWED, 3)).containsExactly(5L, 5L, 5L);
        assertThat(counters.sum("a", Column.ALLOWED)).isEqualTo(50);
        counters.jump(86_400).count("a", Column.ALLOWED, 9).tick();
        assertThat(counters.sum("a", Column.ALLOWED)).isEqualTo(9);
        assertThat(counters.recorder.history().last()).isEqualTo(counters.second() - 1);
    }

    @Test
    void rulesThatComeAndGoDoNotFillTheMemory() {
        for (int i = 0; i < 10_000; i++) {
            String name = "rule-" + i;
            counters.count(name, Column.ALLOWED, 1).jump(59).tick();
            counters.forget(name);
        }
        assertThat(last(series("rule-9999"), Column.ALLOWED, 1)).containsExactly(1L);
        assertThat(counters.recorder.history().rules(History.SECONDS)).hasSize(History.SECONDS / 60);
        assertThat(counters.recorder.history().rulesOfDay()).hasSize(History.MINUTES);
    }

    @Test
    void aThousandRulesForADay() {
        int rules = 1000;
        for (int minute = 0; minute < History.MINUTES; minute++) {
            busy(rules, minute);
            counters.jump(59).tick();
        }
        for (int second = 0; second < History.SECONDS; second++) {
            busy(rules, second);
            counters.tick();
        }
        long bytes = counters.recorder.history().bytes();
        System.out.printf(
                "history of 1000 busy rules, 24 h and 15 min: %.1f MB, %d bytes a rule%n", bytes / 1e6, bytes / rules);
        assertThat(bytes / rules).isLessThan(20_000);
    }

    private void busy(int rules, int seed) {
        for (int rule = 0; rule < rules; rule++) {
            counters.count("rule-" + rule, Column.ALLOWED, 1 + (seed * 31L + rule) % 300);
            counters.count("rule-" + rule, Column.DENIED, (seed * 17L + rule) % 40);
        }
    }

    private History.Series series(String rule) {
        return counters.recorder
                .history()
                .seconds(rule, counters.recorder.history().last());
    }

    private static List<Long> last(History.Series series, Column column, int seconds) {
        List<long[]> counts = series.counts().subList(History.SECONDS - seconds, History.SECONDS).stream()
                .<long[]>map(Objects::requireNonNull)
                .toList();
        return counts.stream().map(each -> History.at(each, column.index())).toList();
    }

    @Test
    void quantilesAreWithinTheirBuckets() {
        Quantiles times = new Quantiles(new long[] {10, 100, 1000}, new long[] {50, 40, 9, 1});
        assertThat(Map.of("p50", times.millis(0.5), "p90", times.millis(0.9), "p99", times.millis(0.99)))
                .allSatisfy((name, value) -> assertThat(value).isPresent());
        assertThat(times.millis(0.5)).hasValue(0.01);
        assertThat(times.millis(0.9)).hasValue(0.1);
        assertThat(times.millis(0.999)).hasValue(1);
        assertThat(new Quantiles(new long[] {10}, new long[0]).millis(0.5)).isEmpty();
    }
}
