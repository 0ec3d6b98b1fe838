package dev.sluice.server.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.Durations;
import dev.sluice.simulate.generate.ClientKind;
import dev.sluice.simulate.generate.GeneratedClient;
import dev.sluice.simulate.generate.LogGenerator;
import dev.sluice.simulate.generate.LogLines;
import dev.sluice.simulate.generate.LogPlan;
import dev.sluice.simulate.generate.TruthFile;
import dev.sluice.text.DidYouMean;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Generates an access log that looks real, and a file with the truth about its clients. */
@Command(
        name = "generate",
        abbreviateSynopsis = true,
        sortOptions = false,
        description = {
            "Generates an access log to try rules on, and a table that says what each client is. The same options and"
                    + " seed always give the same log.",
            ""
        },
        footer = {
            "",
            "Clients: person               sessions of pages, more by day than by night; a few come often",
            "         office               several people behind one address",
            "         partner              a program that calls the API at a steady pace",
            "         monitor              a health check, day and night",
            "         crawler              a search engine: many paths, day and night",
            "         retry-storm          broken applications that repeat a failing call (abusive)",
            "         credential-stuffing  many addresses that try passwords (abusive)",
            "",
            "The table has the columns ip, kind, abusive, requests, first and last.",
            "",
            "  sluice generate --lines 100000 --out access.log --truth truth.csv",
            "  sluice generate --lines 10000000 --duration 7d --out access.log.gz",
            "  sluice generate --without retry-storm,credential-stuffing --out calm.log"
        })
final class GenerateCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--lines", paramLabel = "N", description = "About how many requests. Default: 100000.")
    private long lines = 100_000;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of all random choices. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "How many people and offices. Default: one for 200 requests.")
    private @Nullable Integer clients;

    @Option(names = "--duration", paramLabel = "DURATION", description = "How long the log lasts. Default: 1d.")
    private String duration = "1d";

    @Option(
            names = "--start",
            paramLabel = "TIME",
            description = "When it starts, as in 2026-11-02T00:00:00Z. Default: that.")
    private @Nullable String start;

    @Option(
            names = "--without",
            paramLabel = "KIND[,KIND...]",
            split = ",",
            description = "Leaves kinds of clients out.")
    private List<String> without = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "combined, common, json or csv. Default: combined.")
    private String format = "combined";

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "The file for the log; one that ends in .gz is compressed, - is standard output."
                    + " Default: ${DEFAULT-VALUE}.",
            defaultValue = "access.log")
    private String out = "access.log";

    @Option(names = "--truth", paramLabel = "FILE.csv", description = "The file for the table. Default: none.")
    private @Nullable String truth;

    @Override
    public Integer call() throws IOException {
        LogPlan plan;
        try {
            plan = plan();
        } catch (IllegalArgumentException e) {
            throw common.wrongCall(e);
        }
        if (!LogLines.FORMATS.contains(format)) {
            throw common.wrongCall("--format must be one of " + String.join(", ", LogLines.FORMATS) + ", was '" + format
                    + "'" + DidYouMean.hint(format, LogLines.FORMATS));
        }
        boolean toStandardOutput = out.equals("-");
        @Nullable
        OutputFile table =
                truth == null ? null : new OutputFile(common, "--truth", "table", truth).checked(List.of(out));
        List<GeneratedClient> made;
        long written;
        OutputFile file = new OutputFile(common, "--out", "log", out);
        try (OutputStream opened = toStandardOutput ? new Console(common.out()) : open(file);
                OutputStream buffered = new BufferedOutputStream(opened, 1 << 16)) {
            LogLines log = new LogLines(buffered, format);
            made = LogGenerator.generate(plan, log);
            written = log.lines();
        } catch (IOException e) {
            if (toStandardOutput) {
                return 1; // why is said where the program ends
            }
            throw file.unwritable(e);
        }
        if (table != null) {
            table.write(TruthFile.text(made));
        }
        if (!toStandardOutput) {
            long abusive = made.stream()
                    .filter(client -> client.kind().abusive())
                    .mapToLong(GeneratedClient::requests)
                    .sum();
            common.out()
                    .printf(
                            Locale.ROOT,
                            "%s: %,d requests of %,d clients in %s, %,d of them abusive%n",
                            out,
                            written,
                            made.size(),
                            Durations.text(plan.duration()),
                            abusive);
            if (truth != null) {
                common.out().println("truth: " + truth);
            }
        }
        return 0;
    }

    private LogPlan plan() {
        Instant from = start == null ? LogPlan.of(seed, Math.max(1, lines)).start() : instant(start);
        Duration length = Durations.parse("--duration", duration);
        int people = clients == null ? LogPlan.clientsFor(lines) : clients;
        return new LogPlan(seed, lines, people, from, length, kinds());
    }

    private static Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "--start must be a time such as 2026-11-02T00:00:00Z, was '" + text + "'", e);
        }
    }

    private Set<ClientKind> kinds() {
        Set<ClientKind> kinds = EnumSet.noneOf(ClientKind.class);
        for (String name : without) {
            kinds.add(kind(name));
        }
        return kinds;
    }

    private static ClientKind kind(String name) {
        return Stream.of(ClientKind.values())
                .filter(kind -> kind.text().equals(name))
                .findFirst()
                .orElseThrow(() -> {
                    List<String> known =
                            Stream.of(ClientKind.values()).map(ClientKind::text).toList();
                    return new IllegalArgumentException("--without: there is no kind of client '" + name + "'"
                            + DidYouMean.hint(name, known) + "; there are " + String.join(", ", known));
                });
    }

    private static OutputStream open(OutputFile file) throws IOException {
        OutputStream plain = Files.newOutputStream(file.path());
        return file.name().endsWith(".gz") ? new GZIPOutputStream(plain, 1 << 16) : plain;
    }

    /** Standard output, for lines of ASCII. */
    private static final class Console extends OutputStream {
        private final PrintWriter out;

        Console(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void write(int letter) {
            out.write(letter);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(new String(bytes, from, length, US_ASCII));
            if (out.checkError()) {
                throw new IOException("standard output is closed");
            }
        }

        @Override
        public void flush() {
            out.flush();
        }
    }
}
