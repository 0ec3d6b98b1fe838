package dev.sluice.server.cli;

import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.LogSource;
import dev.sluice.simulate.suggest.Suggest;
import dev.sluice.simulate.suggest.SuggestOptions;
import dev.sluice.simulate.suggest.Suggestion;
import dev.sluice.simulate.suggest.SuggestionText;
import java.io.IOException;
import java.nio.file.Path;
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
            "  sluice suggest events.json --key header.x-api-key --of requests --json"
        })
final class SuggestCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(arity = "1..*", paramLabel = "LOG", description = "The logs.")
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

    @Mixin
    private LogReaderOptions reading = new LogReaderOptions();

    @Override
    public Integer call() throws IOException {
        LogOptions logOptions = reading.options(common);
        Suggestion suggestion = suggest(logOptions, options(logOptions));
        common.out().print(json ? SuggestionJson.of(suggestion) : SuggestionText.of(suggestion));
        common.out().flush();
        if (out != null) {
            Path file = new OutputFile(common, "--out", "rules", out).write(suggestion.ruleFile());
            if (!json) {
                common.out().println("rules: " + file);
            }
        }
        return 0;
    }

    private Suggestion suggest(LogOptions logOptions, SuggestOptions options) throws IOException {
        try (LogSource source = LogSource.open(logs, logOptions)) {
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
