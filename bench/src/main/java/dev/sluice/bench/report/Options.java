package dev.sluice.bench.report;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * What the command line asks for.
 *
 * @param suite which benchmarks: {@code core}, {@code redis}, {@code server} or {@code spring}
 * @param full whether it may take its time
 * @param only what to run
 * @param report where the page goes, if one is written
 */
public record Options(String suite, boolean full, Pattern only, Optional<Path> report) {
    public static final String USAGE = """
            usage: bench core|redis|server|spring [--short | --full] [--only REGEX] [--write] [--out FILE]
                   bench smoke

              core         speed and memory of the in-process limiters beside their peers
              redis        speed and memory of the limiters on Redis beside their peers, on a redis-server of its own
              server       the server under load from wrk and h2load, beside nginx, HAProxy and a trivial reply
              spring       what the starter costs a request and a method, beside Bucket4j's starter and Resilience4j's
              --short      core about 4 minutes, redis 3, server 3 to 4, spring 2, to see where things stand (the default)
              --full       core about 25 minutes, redis 10, server 15, spring 10: medians over interleaved rounds; writes the report
              --only REGEX what to run, matched anywhere in a line of the progress: 'denied', 'sluice.*2 threads', 'memory'
              --write      write the report after a short run too
              --out FILE   where the report goes; docs/benchmarks.md, docs/benchmarks-redis.md and so on unless said
              smoke        every benchmark for a moment, to see that it still takes the path it says
            """;

    /** Options that cannot be understood; the message says which and why. */
    public static final class BadOption extends RuntimeException {
        public BadOption(String message) {
            super(message);
        }
    }

    /** Reads what follows the name of the suite. */
    public static Options parse(String suite, List<String> args) {
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
                case "--only" -> only = Optional.of(pattern(valueOf(arg, args, ++i)));
                case "--out" -> out = Optional.of(Path.of(valueOf(arg, args, ++i)));
                default -> throw new BadOption("unknown argument '" + arg + "'");
            }
        }
        if (full && shortRun) {
            throw new BadOption("--short and --full exclude each other");
        }
        boolean partial = only.isPresent();
        if (partial && write && out.isEmpty()) {
            throw new BadOption("--only measures a part, which would overwrite the whole of " + usual
                    + "; say --out FILE to write it elsewhere");
        }
        boolean writes = write || out.isPresent() || (full && !partial);
        return new Options(
                suite,
                full,
                only.orElse(Pattern.compile("")),
                writes ? Optional.of(out.orElse(usual)) : Optional.empty());
    }

    /** The command that measures the same again. */
    public String command() {
        return "./sluice bench " + suite
                + (full ? " --full" : " --short")
                + (only.pattern().isEmpty() ? "" : " --only '" + only + "'");
    }

    /** Before the run, not after it. */
    public void requireWritable() {
        Optional<Path> folder = report.map(Path::toAbsolutePath).map(Path::getParent);
        if (report.isPresent() && folder.filter(Files::isDirectory).isEmpty()) {
            throw new BadOption("the report goes to " + report.get()
                    + ", whose folder does not exist; run this from the root of the project or say --out FILE");
        }
    }

    private static String valueOf(String option, List<String> args, int index) {
        if (index >= args.size()) {
            throw new BadOption(option + " needs a value");
        }
        return args.get(index);
    }

    private static Pattern pattern(String regex) {
        try {
            return Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
        } catch (PatternSyntaxException e) {
            throw new BadOption("--only '" + regex + "' is not a regular expression: " + e.getDescription());
        }
    }
}
