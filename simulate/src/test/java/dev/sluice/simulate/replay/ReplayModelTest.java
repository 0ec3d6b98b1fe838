package dev.sluice.simulate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.model.ModelLimiter;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.Verdict;
import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.file.LogSource;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replay decides each request of a random log as the reference model does: slow, and obviously right. */
class ReplayModelTest {
    private static final int LOGS = 60;
    private static final long START = 1_794_787_200_000_000L;

    private record Line(long micros, String ip, String path) {}

    private long nowMicros;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void decisionsEqualTheModels(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < LOGS; i++) {
            check(random, "log " + i + " of seed " + seed);
        }
    }

    private void check(Random random, String name) {
        List<Rule> rules = new ArrayList<>();
        rules.add(rule("all", List.of("ip"), random));
        if (random.nextBoolean()) {
            rules.add(rule("paths", List.of("path"), random));
        }
        if (random.nextInt(3) == 0) {
            rules.add(rule("one", List.of(), random));
        }
        List<Line> lines = lines(random);
        List<Boolean> expected = modelled(rules, lines);
        assertThat(replayed(rules, lines)).as(() -> name + " on " + rules).isEqualTo(expected);
    }

    private static Rule rule(String name, List<String> key, Random random) {
        List<Limit> limits = random.nextInt(4) == 0 ? List.of(limit(random), limit(random)) : List.of(limit(random));
        return Rule.named(name)
                .key(key.toArray(String[]::new))
                .limits(limits.toArray(Limit[]::new))
                .build();
    }

    private static Limit limit(Random random) {
        long permits = 1L + random.nextInt(8);
        Duration period =
                Duration.of(new long[] {1, 1009, 50_000, 1_000_000, 60_000_000}[random.nextInt(5)], ChronoUnit.MICROS);
        return switch (random.nextInt(9)) {
            case 0 -> Limit.fixedWindow(permits, period);
            case 1 -> Limit.fixedWindow(permits, period).aligned();
            case 2 -> Limit.fixedWindow(permits, ChronoUnit.MINUTES, ZoneId.of("Asia/Kolkata"));
            case 3 -> Limit.slidingWindow(permits, period.multipliedBy(6), 6);
            case 4 -> Limit.slidingWindow(permits, period.multipliedBy(4), 4).weighted();
            case 5 -> Limit.slidingLog(permits, period);
            case 6 -> Limit.tokenBucket(permits, period).burst(1 + random.nextInt(10));
            case 7 -> Limit.leakyBucket(permits, period).capacity(1 + random.nextInt(10));
            default ->
                Limit.leakyBucket(permits, period)
                        .capacity(1 + random.nextInt(10))
                        .queue();
        };
    }

    private static List<Line> lines(Random random) {
        List<Line> lines = new ArrayList<>();
        long at = START + random.nextInt(100_000_000);
        long mean = new long[] {1, 500, 20_000, 700_000}[random.nextInt(4)];
        for (int i = 0; i < 200; i++) {
            at += switch (random.nextInt(8)) {
                case 0 -> 0;
                case 1 -> -random.nextLong(2 * mean + 1);
                case 2 -> 20 * mean;
                default -> random.nextLong(2 * mean + 1);
            };
            lines.add(new Line(at, "10.0.0." + random.nextInt(3), "/" + random.nextInt(2)));
        }
        return lines;
    }

    private List<Boolean> modelled(List<Rule> rules, List<Line> lines) {
        List<Limiter> models = rules.stream()
                .<Limiter>map(rule ->
                        new ModelLimiter(() -> nowMicros * 1000, rule.limits().toArray(Limit[]::new)))
                .toList();
        nowMicros = 0;
        List<Boolean> decided = new ArrayList<>();
        for (Line line : lines) {
            nowMicros = Math.max(nowMicros, line.micros);
            boolean all = true;
            for (int i = 0; i < models.size(); i++) {
                all &= models.get(i).peek(key(rules.get(i), line), 1).allowed();
            }
            for (int i = 0; all && i < models.size(); i++) {
                models.get(i).decide(key(rules.get(i), line), 1);
            }
            decided.add(all);
        }
        return decided;
    }

    private static String key(Rule rule, Line line) {
        return rule.key().isEmpty() ? "" : rule.key().get(0).equals("ip") ? line.ip : line.path;
    }

    private static List<Boolean> replayed(List<Rule> rules, List<Line> lines) {
        StringBuilder log = new StringBuilder();
        for (Line line : lines) {
            log.append(String.format(
                    Locale.ROOT, "{\"time\":%d,\"ip\":\"%s\",\"path\":\"%s\"}%n", line.micros, line.ip, line.path));
        }
        LogAttributes attributes = LogAttributes.of("ip", "path");
        List<CompletableFuture<Verdict>> verdicts = new ArrayList<>();
        try (LogSource source = Replays.source(log.toString());
                Replay replay =
                        new Replay(new ReplayRules("rules", RuleSet.of(rules.toArray(Rule[]::new))), attributes)) {
            source.read(attributes, entry -> verdicts.add(replay.decide(entry)));
            replay.finish();
        }
        return verdicts.stream().map(verdict -> verdict.join().allowed()).toList();
    }
}
