package dev.sluice.server;

import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.FileProblem;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says whether a rule file is right, and if not everything that is wrong with it. */
@Command(
        name = "check",
        sortOptions = false,
        description = {
            "Reads a rule file and says what is wrong with it: file, line and column, the value, and what was expected."
                    + " Exits with 0 if nothing is, with 1 if something is.",
            ""
        })
final class CheckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "The rule file.")
    private Path file = Path.of("");

    @SuppressWarnings("UnusedVariable") // picocli shows it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    private boolean help;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try {
            RuleSet rules = RuleFile.read(file);
            int count = rules.rules().size();
            out.println(file + ": ok, " + count + (count == 1 ? " rule" : " rules"));
            return 0;
        } catch (RuleFileException e) {
            for (FileProblem problem : e.problems()) {
                out.println(problem);
            }
            return 1;
        }
    }
}
