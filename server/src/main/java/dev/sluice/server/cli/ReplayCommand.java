package dev.sluice.server.cli;

import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogSource;
import dev.sluice.simulate.replay.ReplayException;
import dev.sluice.simulate.replay.ReplayPage;
import dev.sluice.simulate.replay.ReplayReport;
import dev.sluice.simulate.replay.ReplayRules;
import dev.sluice.simulate.replay.ReplayText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replays logs on rules: what the rules would have done to this traffic. */
@Command(
        name = "replay",
        abbreviateSynopsis = true,
        customSynopsis = "sluice replay LOG... --rules FILE [OPTIONS]",
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
            "  sluice replay access.log --rules rules.yaml \\",
            "      --format '$$remote_addr - $$remote_user [$$time_local] \"$$request\" $$status $$request_time'"
        })
final class ReplayCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(arity = "1..*", paramLabel = "LOG", description = "The logs.")
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
        ReplayRules first = rules(rules);
        Optional<ReplayRules> other = Optional.ofNullable(compare).map(this::rules);
        ReplayReport replayed = replay(first, other);
        if (replayed.result().requests() == 0) {
            throw new IOException("there is no request to replay: "
                    + String.join("; ", replayed.log().notes()));
        }
        common.out().print(json ? ReplayJson.of(replayed) : ReplayText.of(replayed));
        common.out().flush();
        if (report != null) {
            Path page = new OutputFile(common, "--report", "report", report).write(ReplayPage.of(replayed));
            if (!json) {
                common.out().println();
                common.out().println("report: " + page);
            }
        }
        return 0;
    }

    private ReplayReport replay(ReplayRules first, Optional<ReplayRules> other) throws IOException {
        try (LogSource source = LogSource.open(logs, reading.options(common))) {
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

    private ReplayRules rules(Path file) {
        try {
            return new ReplayRules(file.toString(), RuleFile.read(file));
        } catch (RuleFileException e) {
            throw common.wrongCall(String.valueOf(e.getMessage()));
        }
    }
}
