package dev.sluice.simulate.judge;

import dev.sluice.ManualClock;
import dev.sluice.Store;
import dev.sluice.rules.Request;
import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.simulate.generate.GeneratedClient;
import dev.sluice.simulate.generate.GeneratedRequest;
import dev.sluice.simulate.generate.LogGenerator;
import dev.sluice.simulate.generate.LogLines;
import dev.sluice.simulate.generate.LogPlan;
import dev.sluice.simulate.generate.LogSink;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.LogSource;
import dev.sluice.simulate.suggest.ProposedRule;
import dev.sluice.simulate.suggest.Suggest;
import dev.sluice.simulate.suggest.SuggestOptions;
import dev.sluice.simulate.suggest.Suggestion;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Judges suggested rules: generates a log, suggests rules from its text at the default settings, and lets the real rule
 * engine decide the requests by these rules, each at its own time. Who is what is known from the generator alone.
 */
public final class Judge {
    /** What is planted beside the abuse that the generator has. */
    public enum Planted {
        NOTHING,
        SCRAPER,
        SCANNER,
        SLOW_STUFFING;

        private List<GeneratedRequest> requests(LogPlan plan) {
            return switch (this) {
                case NOTHING -> List.of();
                case SCRAPER -> HarderAbuse.scraper(plan);
                case SCANNER -> HarderAbuse.scanner(plan);
                case SLOW_STUFFING -> HarderAbuse.slowStuffing(plan);
            };
        }
    }

    /**
     * What rules did to a log.
     *
     * @param goodClients the number of clients that are not abusive
     * @param goodTouched how many of them had a request denied
     * @param abusive the number of abusive requests
     * @param cut how many of them were denied
     */
    public record Outcome(long goodClients, long goodTouched, long abusive, long cut) {
        /** The share of good clients that were touched, in percent. */
        public double touchedPercent() {
            return 100.0 * goodTouched / Math.max(1, goodClients);
        }

        /** The share of abusive requests that were denied, in percent. */
        public double cutPercent() {
            return 100.0 * cut / Math.max(1, abusive);
        }
    }

    /**
     * A judged log.
     *
     * @param seed its seed
     * @param requests the number of its requests
     * @param limits the suggested limits
     * @param outcome what they did to this log
     * @param nextDay what they did to another log of the same kind, which they were not made from
     */
    public record Judged(long seed, long requests, String limits, Outcome outcome, Outcome nextDay) {}

    /** What a seed is changed by for the log that rules were not made from. */
    private static final long OTHER_SEED = 1_000_003;

    private final LogPlan plan;
    private final Planted planted;

    private Judge(LogPlan plan, Planted planted) {
        this.plan = plan;
        this.planted = planted;
    }

    /** Judges the rules that are suggested for a log of about so many lines. */
    public static Judged judge(long seed, long lines, Planted planted) throws IOException {
        LogPlan plan = LogPlan.of(seed, lines);
        Suggestion suggestion = new Judge(plan, planted).suggestion();
        return new Judged(
                seed,
                suggestion.requests(),
                suggestion.rules().stream()
                        .map(rule -> scope(rule) + rule.limit().replace(" sliding-log", ""))
                        .collect(Collectors.joining("; ")),
                new Judge(plan, planted).outcome(suggestion.ruleFile()),
                new Judge(LogPlan.of(seed + OTHER_SEED, lines), planted).outcome(suggestion.ruleFile()));
    }

    private static String scope(ProposedRule rule) {
        String path = rule.path();
        return path == null ? "" : path + " ";
    }

    private List<GeneratedClient> generate(LogSink sink) throws IOException {
        return LogGenerator.generate(plan, new HarderAbuse.Planted(planted.requests(plan), sink));
    }

    private Suggestion suggestion() throws IOException {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        generate(new LogLines(log, "combined"));
        LogOptions options = LogOptions.DEFAULT.withStandardInput(new ByteArrayInputStream(log.toByteArray()));
        try (LogSource source = LogSource.open(List.of("-"), options)) {
            return Suggest.of(source, SuggestOptions.DEFAULT);
        }
    }

    private Outcome outcome(String rules) throws IOException {
        Map<String, long[]> deniedByClient = new HashMap<>();
        ManualClock clock = new ManualClock();
        long[] now = {0};
        List<GeneratedClient> truth;
        try (Store store = Store.builder().clock(clock).build()) {
            RuleEngine engine = new RuleEngine(store, RuleFile.parse("suggested.yaml", rules));
            truth = generate(request -> {
                clock.advance(Duration.of(request.timeMicros() - now[0], ChronoUnit.MICROS));
                now[0] = request.timeMicros();
                Request asked =
                        Request.of(Map.of("ip", request.ip(), "method", request.method(), "path", request.path()), 1);
                long[] tally = deniedByClient.computeIfAbsent(request.ip(), ip -> new long[2]);
                tally[0]++;
                tally[1] += engine.check(asked).join().allowed() ? 0 : 1;
            });
        }
        long good = 0;
        long touched = 0;
        long abusive = 0;
        long cut = 0;
        for (GeneratedClient client : truth) {
            long[] tally = deniedByClient.getOrDefault(client.ip(), new long[2]);
            if (client.kind().abusive()) {
                abusive += tally[0];
                cut += tally[1];
            } else {
                good++;
                touched += tally[1] > 0 ? 1 : 0;
            }
        }
        for (Map.Entry<String, long[]> client : deniedByClient.entrySet()) {
            if (client.getKey().startsWith(HarderAbuse.ADDRESSES)) {
                abusive += client.getValue()[0];
                cut += client.getValue()[1];
            }
        }
        return new Outcome(good, touched, abusive, cut);
    }
}
