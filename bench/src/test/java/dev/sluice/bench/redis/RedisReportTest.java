package dev.sluice.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.redis.RedisBench.Figure;
import dev.sluice.bench.redis.Shortcuts.Shortcut;
import dev.sluice.bench.report.Effort;
import dev.sluice.bench.report.Measurements;
import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Report;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RedisReportTest {
    private final Measurements figures = new Measurements();

    @Test
    void ratiosAreMediansOverMedians() {
        add(RedisRow.FLOOR, RedisLoad.IN_FLIGHT, 90_000, 100_000, 200_000);
        add(RedisRow.TOKEN_BUCKET, RedisLoad.IN_FLIGHT, 70_000, 76_000, 80_000);
        assertThat(report().body())
                .containsPattern("sluice token bucket .* 76,000 \\| +70,000-80,000 \\| +0.76 ")
                .doesNotContain("sluice fixed window |");
    }

    @Test
    void verdictsFollowTheFigures() {
        add(RedisRow.FLOOR, RedisLoad.IN_FLIGHT, 100_000);
        add(RedisRow.FLOOR, Figure.REDIS_MICROS, 8);
        add(RedisRow.FLOOR_TOGETHER, RedisLoad.IN_FLIGHT, 166_000);
        add(RedisRow.TOKEN_BUCKET, RedisLoad.IN_FLIGHT, 250_000);
        add(RedisRow.FIXED_WINDOW, RedisLoad.IN_FLIGHT, 248_000);
        add(RedisRow.REDISSON, RedisLoad.IN_FLIGHT, 20_000);
        add(RedisRow.GATEWAY, RedisLoad.IN_FLIGHT, 249_000);
        add(RedisRow.GATEWAY, Figure.REDIS_MICROS, 16);
        add(RedisRow.TOKEN_BUCKET, Figure.REDIS_MICROS, 8);
        add(RedisRow.FIXED_WINDOW, Figure.REDIS_MICROS, 8.1);
        add(RedisRow.SLIDING_LOG, RedisLoad.KEYS, 2);
        add(RedisRow.SORTED_SET_FULL, RedisLoad.KEYS, 1);
        add(RedisRow.SLIDING_LOG, Figure.BYTES_PER_PERMIT_OF_SMALL_LOG, 12.1);
        add(RedisRow.TOKEN_BUCKET, Figure.BYTES_PER_KEY, 140);
        add(RedisRow.TOKEN_BUCKET, Figure.PLAIN_BYTES_PER_KEY, 100);
        add(Shortcut.DENIED, Figure.PER_SECOND, 9_900_000);
        add(Shortcut.BATCHED, Figure.PER_SECOND, 5_000_000);
        add(Shortcut.DEAD, Figure.LONGEST_MILLIS, 60, 100.1, 50);
        assertThat(verdict("sluice token bucket, 256 in flight: at least 2.5 x floor"))
                .isEqualTo("holds");
        assertThat(verdict("sluice fixed window, 256 in flight: at least 2.5 x floor"))
                .isEqualTo("misses");
        assertThat(verdict("sluice token bucket, 256 in flight: at least 1.5 x the floor, sent"))
                .isEqualTo("holds");
        assertThat(verdict("sluice fixed window, 256 in flight: at least 1.5 x the floor, sent"))
                .isEqualTo("misses");
        assertThat(verdict("sluice token bucket: Redis time, 256 in flight at most"))
                .isEqualTo("holds");
        assertThat(verdict("sluice fixed window: Redis time, 256 in flight at most"))
                .isEqualTo("misses");
        assertThat(verdict("sluice token bucket: Redis time, alone")).isEqualTo("not measured");
        assertThat(verdict("sluice token bucket, 256 in flight: ahead")).isEqualTo("holds");
        assertThat(verdict("sluice fixed window, 256 in flight: ahead")).isEqualTo("misses");
        assertThat(verdict("sluice token bucket, 16 threads: ahead")).isEqualTo("not measured");
        assertThat(verdict("sluice token bucket: Redis time at most 0.5")).isEqualTo("holds");
        assertThat(verdict("sluice fixed window: Redis time at most 0.5")).isEqualTo("misses");
        assertThat(verdict("sluice sliding log, 100,000 keys: ahead")).isEqualTo("holds");
        assertThat(verdict("a log of 100 permits")).isEqualTo("misses");
        assertThat(verdict("a log of 10,000 permits")).isEqualTo("not measured");
        assertThat(verdict("sluice token bucket: at most 1.4 x")).isEqualTo("holds");
        assertThat(verdict("denied hot key")).isEqualTo("misses");
        assertThat(verdict("batches on one hot key")).isEqualTo("holds");
        assertThat(verdict("Redis dead, policy local: no call over 100 ms")).isEqualTo("misses");
    }

    @Test
    void pageSaysWhatWasMeasuredAndOnWhat() {
        add(RedisRow.FLOOR, RedisLoad.KEYS, 1);
        Options options = new Options("redis", Effort.FULL, Pattern.compile(""), Optional.empty());
        String page =
                report().page(options, List.of("Machine: this", "Versions: Redis 7.0.15"), LocalDate.of(2026, 11, 15));
        assertThat(page)
                .contains("- Date: 2026-11-15\n", "`./sluice bench redis --full`", "- Versions: Redis 7.0.15\n")
                .contains("7 rounds", "the timeout is 50 ms", "| floor: INCR + PEXPIRE |");
    }

    private Report report() {
        return RedisReport.of(figures, Effort.FULL);
    }

    private String verdict(String promise) {
        List<String> verdicts = report().targets().stream()
                .filter(target -> target.promise().startsWith(promise))
                .map(target -> target.verdict().word)
                .toList();
        assertThat(verdicts).as(promise).hasSize(1);
        return verdicts.get(0);
    }

    private void add(Enum<?> of, Enum<?> what, double... values) {
        for (double value : values) {
            figures.add(of, what, value);
        }
    }
}
