package dev.sluice.server.cli;

import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Validates a rule file. */
@Command(
        name = "check",
        sortOptions = false,
        description = {
            "Validates a rule file. Prints each mistake with file, line and column, the value, and what was expected."
                    + " Exits with 0 if the file is right, and with 1 if it is not.",
            ""
        })
final class CheckCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(paramLabel = "FILE", description = "The rule file.")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        try {
            int count = RuleFile.read(file).rules().size();
            common.out().println(file + ": ok, " + count + (count == 1 ? " rule" : " rules"));
            return 0;
        } catch (RuleFileException e) {
            e.problems().forEach(common.out()::println);
            return 1;
        }
    }
}
