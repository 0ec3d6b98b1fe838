package dev.sluice.server.cli;

import dev.sluice.Durations;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.file.LogSource;
import dev.sluice.simulate.suggest.Suggest;
import dev.sluice.simulate.suggest.SuggestOptions;
import dev.sluice.simulate.suggest.Suggestion;
import dev.sluice.simulate.suggest.SuggestionText;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Suggests limits from the traffic of access logs. */
@Command(
        name = "suggest",
        abbreviateSynopsis = true,
        sortOptions = false,
        description = {
            "Suggests limits from access logs: for windows of a second to a day the smallest limit that leaves nearly"
                    + " all clients untouched, what it would have cut, how sure that is, and rules to paste.",
            "Clients that look like abuse are left out, so that they do not raise the limits. The output says who, and"
                    + " why.",
            ""
        },
        footer = {
            "",
            "A log is a plain file, or one compressed by gzip or zstd; - is standard input.",
            "",
            "  sluice suggest access.log",
            "  sluice suggest access.log access.log.1.gz --keep 99% --out rules.yaml",
            "  sluice suggest --from http://127.0.0.1:8081 --last 15m",
            "  sluice suggest --from http://127.0.0.1:8081 --watch proposals --put",
            "  sluice suggest events.json --key header.x-api-key --of requests --json"
        })
final class SuggestCommand implements Callable<Integer> {
    private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(arity = "0..*", paramLabel = "LOG", description = "The logs.")
    private List<String> logs = List.of();

    @Option(
            names = "--key",
            paramLabel = "ATTRIBUTE[,ATTRIBUTE...]",
            split = ",",
            description = "What clients are counted by, as in a rule. Default: ip.")
    private List<String> key = List.of("ip");

    @Option(
            names = "--keep",
            paramLabel = "SHARE",
            description = "The share to leave untouched, from 50%% to 100%%. Default: 99.9%%.")
    private String keep = "99.9%";

    @Option(
            names = "--of",
            paramLabel = "WHAT",
            description = "Of what it is a share: clients or requests. Default: clients.")
    private String of = "clients";

    @Option(names = "--out", paramLabel = "FILE.yaml", description = "Also writes the rules to a file.")
    private @Nullable String out;

    @Option(names = "--json", description = "Prints the result as JSON.")
    private boolean json;

    @Option(
            names = "--watch",
            paramLabel = "FOLDER",
            description = "Goes on, and writes a file of shadow rules to a folder every day. A person applies them."
                    + " Nothing that is in the folder is changed.")
    private @Nullable Path watch;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            description = "With --watch: how long from one proposal to the next. Default: 1d.")
    private @Nullable String every;

    @Option(
            names = "--put",
            description =
                    "With --watch and --from: also puts the shadow rules in force on the server, beside its rules."
                            + " They deny nothing; its metrics count what they would deny.")
    private boolean put;

    @Mixin
    private LogReaderOptions reading = new LogReaderOptions();

    @Override
    public Integer call() throws IOException {
        @Nullable
        OutputFile ruleFile = out == null ? null : new OutputFile(common, "--out", "rules", out).checked(logs);
        LogOptions logOptions = reading.options(common);
        if (watch != null) {
            watch(watch, options(logOptions)).run();
            return 0;
        }
        if (every != null || put) {
            throw common.wrongCall((put ? "--put" : "--every") + " is for --watch FOLDER");
        }
        Suggestion suggestion = suggest(options(logOptions));
        common.out().print(json ? SuggestionJson.of(suggestion) : SuggestionText.of(suggestion));
        common.out().flush();
        if (ruleFile != null) {
            Path file = ruleFile.write(suggestion.ruleFile());
            if (!json) {
                common.out().println("rules: " + file);
            }
        }
        return 0;
    }

    private SuggestWatch watch(Path folder, SuggestOptions options) throws IOException {
        if (out != null || json) {
            throw common.wrongCall((json ? "--json" : "--out") + " is not for --watch, which writes files to a folder");
        }
        if (put && !reading.recording().isGiven()) {
            throw common.wrongCall("--put needs --from, the server to put the rules in force on");
        }
        if (logs.contains("-")) {
            throw common.wrongCall("--watch reads logs again and again; standard input can be read once");
        }
        reading.recording().check(common, !logs.isEmpty());
        Duration interval = every == null ? Duration.ofDays(1) : Durations.parse(every);
        if (interval == null || interval.compareTo(MIN_INTERVAL) < 0) {
            throw common.wrongCall("--every must be " + Durations.EXPECTED + ", and 1s or more, was '" + every + "'");
        }
        return new SuggestWatch(
                new ProposalFolder(folder),
                interval,
                () -> suggest(options),
                put ? reading.recording().servers(common) : List.of(),
                InstantSource.system(),
                common.out(),
                common.err());
    }

    private Suggestion suggest(SuggestOptions options) throws IOException {
        try (LogSource source = reading.open(common, logs)) {
            Progress progress = Progress.start(common.err(), source);
            try {
                return Suggest.of(source, options);
            } finally {
                progress.stop();
            }
        } catch (LogException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private SuggestOptions options(LogOptions logOptions) {
        SuggestOptions.Of what = switch (of) {
            case "clients" -> SuggestOptions.Of.CLIENTS;
            case "requests" -> SuggestOptions.Of.REQUESTS;
            default -> throw common.wrongCall("--of must be clients or requests, was '" + of + "'");
        };
        try {
            return SuggestOptions.DEFAULT
                    .by(key.stream()
                            .map(name -> name.strip().toLowerCase(Locale.ROOT))
                            .toList())
                    .keeping(SuggestOptions.millionths(keep))
                    .of(what)
                    .in(logOptions.zone());
        } catch (IllegalArgumentException e) {
            throw common.wrongCall("--" + e.getMessage());
        }
    }
}
