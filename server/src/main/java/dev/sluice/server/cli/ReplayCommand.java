package dev.sluice.server.cli;

import dev.sluice.Limit;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import dev.sluice.rules.match.Condition;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.file.LogSource;
import dev.sluice.simulate.replay.ReplayException;
import dev.sluice.simulate.replay.ReplayPage;
import dev.sluice.simulate.replay.ReplayReport;
import dev.sluice.simulate.replay.ReplayRules;
import dev.sluice.simulate.replay.ReplayText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replays logs on rules: what the rules would have done to this traffic. */
@Command(
        name = "replay",
        abbreviateSynopsis = true,
        customSynopsis = {
            "sluice replay LOG... --rules FILE [OPTIONS]",
            "       sluice replay --from URL --rules FILE [OPTIONS]"
        },
        sortOptions = false,
        description = {
            "Replays access logs on rules, with the real rule engine on the log's own clock, and shows for each rule how"
                    + " many requests it would have allowed, denied, made wait or shed, whom it would have hit, and when"
                    + " it was worst. Nothing is sent anywhere.",
            ""
        },
        footer = {
            "",
            "Logs are plain, or compressed by gzip or zstd; - is standard input. Several are merged by time.",
            "",
            "  sluice replay access.log --rules rules.yaml",
            "  sluice replay /var/log/nginx/access.log* --rules rules.yaml --report replay.html",
            "  sluice replay access.log --rules rules.yaml --compare stricter.yaml",
            "  sluice replay events.json --rules rules.yaml --map ip=client,time=ts,tenant=org.id",
            "  sluice replay --from http://127.0.0.1:8081 --last 15m --rules rules.yaml",
            "  sluice replay access.log --rules rules.yaml \\",
            "      --format '$$remote_addr - $$remote_user [$$time_local] \"$$request\" $$status $$request_time'"
        })
final class ReplayCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(arity = "0..*", paramLabel = "LOG", description = "The logs.")
    private List<String> logs = List.of();

    @Option(names = "--rules", required = true, paramLabel = "FILE", description = "The rule file.")
    private Path rules = Path.of("");

    @Option(
            names = "--compare",
            paramLabel = "OTHER.yaml",
            description = "Another rule file, whose effect is shown beside the first one's.")
    private @Nullable Path compare;

    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description = "Also writes a page with charts, in one file that needs nothing else.")
    private @Nullable String report;

    @Option(names = "--json", description = "Prints the result as JSON.")
    private boolean json;

    @Mixin
    private LogReaderOptions reading = new LogReaderOptions();

    @Override
    public Integer call() throws IOException {
        @Nullable
        OutputFile page =
                report == null ? null : new OutputFile(common, "--report", "report", report).checked(inputs());
        ReplayRules first = rules(rules);
        Optional<ReplayRules> other = Optional.ofNullable(compare).map(this::rules);
        ReplayReport replayed = replay(first, other);
        if (replayed.result().requests() == 0) {
            throw new IOException("there is no request to replay: "
                    + String.join("; ", replayed.log().notes()));
        }
        common.out().print(json ? ReplayJson.of(replayed) : ReplayText.of(replayed));
        common.out().flush();
        if (page != null) {
            Path written = page.write(ReplayPage.of(replayed));
            if (!json) {
                common.out().println();
                common.out().println("report: " + written);
            }
        }
        return 0;
    }

    private List<String> inputs() {
        List<String> inputs = new ArrayList<>(logs);
        inputs.add(rules.toString());
        if (compare != null) {
            inputs.add(compare.toString());
        }
        return inputs;
    }

    private ReplayReport replay(ReplayRules first, Optional<ReplayRules> other) throws IOException {
        try (LogSource source = reading.open(common, logs)) {
            warnOfHashes(first);
            other.ifPresent(this::warnOfHashes);
            Progress progress = Progress.start(common.err(), source);
            try {
                return ReplayReport.of(source, first, other);
            } finally {
                progress.stop();
            }
        } catch (LogException | ReplayException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Says so if rules compare what was recorded as a hash. */
    private void warnOfHashes(ReplayRules rules) {
        for (Rule rule : rules.rules().rules()) {
            Stream.concat(rule.when().stream(), rule.overrides().stream().flatMap(override -> override.when().stream()))
                    .map(Condition::attribute)
                    .filter(reading.hashed()::contains)
                    .distinct()
                    .forEach(name -> common.err()
                            .println(rules.name() + ": rule '" + rule.name() + "' compares " + name
                                    + ", which was recorded as a hash: no value matches"));
        }
    }

    /** The rules without those that a recording cannot decide: it does not say how long requests took. */
    private RuleSet replayable(Path file, RuleSet all) {
        if (!reading.recording().isGiven()) {
            return all;
        }
        List<Rule> kept = all.rules().stream().filter(rule -> !holds(rule)).toList();
        all.rules().stream()
                .filter(rule -> !kept.contains(rule))
                .forEach(rule -> common.err()
                        .println(file + ": rule '" + rule.name() + "' limits how many requests run at once, and is left"
                                + " out: a recording does not say how long they took"));
        return all.withRules(kept);
    }

    private static boolean holds(Rule rule) {
        return Stream.concat(
                        rule.limits().stream(),
                        rule.overrides().stream().flatMap(override -> override.limits().stream()))
                .anyMatch(Limit::holds);
    }

    private ReplayRules rules(Path file) {
        try {
            return new ReplayRules(file.toString(), replayable(file, RuleFile.read(file)));
        } catch (RuleFileException e) {
            throw common.wrongCall(String.valueOf(e.getMessage()));
        }
    }
}
