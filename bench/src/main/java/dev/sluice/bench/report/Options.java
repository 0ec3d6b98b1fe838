package dev.sluice.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The options of a run.
 *
 * @param suite which benchmarks: {@code core}, {@code redis}, {@code server}, {@code spring} or {@code replay}
 * @param only which steps to run
 * @param report where the page is written, if it is
 */
public record Options(String suite, Effort effort, Pattern only, Optional<Path> report) {
    public static final String USAGE = """
            usage: bench all [--short | --full] [--write]
                   bench core|redis|server|spring|replay [--short | --full] [--only REGEX] [--write] [--out FILE]
                   bench memory [--quick] [ALGORITHM...]
                   bench soak [--short]
                   bench league [FOLDER]
                   bench smoke

              all          core, redis, server, spring and replay one after another, and one table of all; a short run
                           writes into target/bench, a full one, or --write, into docs
              memory       100 million keys in a heap of 512 MB, for each algorithm; --quick: 1 million in 64 MB
              core         speed and memory of the in-process limiters, beside their peers
              redis        speed and memory of the limiters on Redis, beside their peers; starts its own redis-server
              server       the server under load from wrk and h2load, beside nginx, HAProxy and a trivial reply
              spring       what the starter adds to a request and to a method, beside Bucket4j's starter and Resilience4j's
              replay       replay and suggest on a generated access log, beside awk and GoAccess
              soak         good clients beside hostile ones on one server for ten minutes; --short: half a minute
              --short      for a first look: core takes about 4 minutes, redis 3, server 3 to 4, spring 2, replay 2 (the default)
              --full       medians over interleaved rounds: core takes about 25 minutes, redis 10, server 15, spring 10, replay 12; writes the report
              --only REGEX run only steps whose progress line matches anywhere: 'denied', 'sluice.*2 threads', 'memory'
              --write      write the report after a short run too
              --out FILE   write the report to FILE instead of docs/benchmarks.md (core) or docs/benchmarks-SUITE.md
              league       that table from the pages in a folder; docs unless given
              smoke        run every benchmark for a moment, to see that it still takes the path it says
            """;

    /** A wrong option, or something missing that the run needs; the message says which. */
    public static final class BadOption extends RuntimeException {
        public BadOption(String message) {
            super(message);
        }
    }

    /** A command that may be given wrong options. */
    public interface Command {
        void run() throws IOException;
    }

    /** Runs a command; if its options are wrong, prints why and how they should be, and exits with 2. */
    public static void orUsage(Command command) throws IOException {
        Locale.setDefault(Locale.ROOT); // the same digits everywhere
        try {
            command.run();
        } catch (BadOption e) {
            System.err.println("bench: " + e.getMessage());
            System.err.print(USAGE);
            System.exit(2);
        }
    }

    /** Reads what follows the name of the suite, and checks that the report can be written. */
    public static Options read(String suite, List<String> args) {
        Options options = parse(suite, args);
        options.requireWritable();
        return options;
    }

    static Options parse(String suite, List<String> args) {
        Path usual = Path.of("docs", suite.equals("core") ? "benchmarks.md" : "benchmarks-" + suite + ".md");
        boolean full = false;
        boolean shortRun = false;
        boolean write = false;
        Optional<Pattern> only = Optional.empty();
        Optional<Path> out = Optional.empty();
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            switch (arg) {
                case "--full" -> full = true;
                case "--short" -> shortRun = true;
                case "--write" -> write = true;
                case "--only" -> only = Optional.of(pattern(valueOf(args, i++)));
                case "--out" -> out = Optional.of(Path.of(valueOf(args, i++)));
                default -> throw new BadOption("unknown argument '" + arg + "'");
            }
        }
        if (full && shortRun) {
            throw new BadOption("--short and --full exclude each other");
        }
        boolean partial = only.isPresent();
        if (partial && write && out.isEmpty()) {
            throw new BadOption("--only measures a part, which would overwrite the whole of " + usual
                    + "; give --out FILE to write it elsewhere");
        }
        boolean writes = write || out.isPresent() || (full && !partial);
        return new Options(
                suite,
                full ? Effort.FULL : Effort.SHORT,
                only.orElse(Pattern.compile("")),
                writes ? Optional.of(out.orElse(usual)) : Optional.empty());
    }

    /** The command that measures the same again. */
    public String command() {
        return "./sluice bench " + suite
                + (effort == Effort.FULL ? " --full" : " --short")
                + (only.pattern().isEmpty() ? "" : " --only '" + only + "'");
    }

    /** Checked before the run and not after it. */
    private void requireWritable() {
        Optional<Path> folder = report.map(Path::toAbsolutePath).map(Path::getParent);
        if (report.isPresent() && folder.filter(Files::isDirectory).isEmpty()) {
            throw new BadOption("the report goes to " + report.get()
                    + ", whose folder does not exist; run this from the root of the project or give --out FILE");
        }
    }

    /** What follows the option at an index. */
    public static String valueOf(List<String> args, int index) {
        if (index + 1 >= args.size()) {
            throw new BadOption(args.get(index) + " needs a value");
        }
        return args.get(index + 1);
    }

    public static Pattern pattern(String regex) {
        try {
            return Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
        } catch (PatternSyntaxException e) {
            throw new BadOption("--only '" + regex + "' is not a regular expression: " + e.getDescription());
        }
    }
}
