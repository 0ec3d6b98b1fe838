package dev.sluice.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** What the command line asks for. */
record Options(Speed.Effort effort, Pattern only, Optional<Path> report) {
    static final String USAGE = """
            usage: bench core [--short | --full] [--only REGEX] [--write] [--out FILE]
                   bench smoke

              core         speed and memory of the in-process limiters beside their peers
              --short      about 4 minutes, to see where things stand (the default)
              --full       about 25 minutes, medians over interleaved forks; writes the report
              --only REGEX what to run, matched anywhere in a line of the progress: 'denied', 'sluice.*2 threads', 'memory'
              --write      write the report after a short run too
              --out FILE   where the report goes; docs/benchmarks.md unless said
              smoke        every benchmark for a moment, to see that it still takes the path it says
            """;

    private static final Path DEFAULT_REPORT = Path.of("docs", "benchmarks.md");

    /** Options that cannot be understood; the message says which and why. */
    static final class BadOption extends RuntimeException {
        BadOption(String message) {
            super(message);
        }
    }

    /** Reads what follows {@code core}. */
    static Options parse(List<String> args) {
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
            throw new BadOption("--only measures a part, which would overwrite the whole of " + DEFAULT_REPORT
                    + "; say --out FILE to write it elsewhere");
        }
        boolean writes = write || out.isPresent() || (full && !partial);
        return new Options(
                full ? Speed.Effort.FULL : Speed.Effort.SHORT,
                only.orElse(Pattern.compile("")),
                writes ? Optional.of(out.orElse(DEFAULT_REPORT)) : Optional.empty());
    }

    /** The command that measures the same again. */
    String command() {
        return "./sluice bench core"
                + (effort.equals(Speed.Effort.FULL) ? " --full" : " --short")
                + (only.pattern().isEmpty() ? "" : " --only '" + only + "'");
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
