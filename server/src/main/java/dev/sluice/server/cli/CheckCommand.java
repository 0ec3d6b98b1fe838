package dev.sluice.server.cli;

import dev.sluice.rules.file.CheckedRules;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Validates rule files. */
@Command(
        name = "check",
        sortOptions = false,
        description = {
            "Validates rule files. Prints each mistake with file, line and column, the value, and what was expected, and"
                    + " warnings of attributes that nothing sets. Exits with 0 if all files are right, with or without"
                    + " warnings, and with 1 if one is not.",
            ""
        })
final class CheckCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "The rule files.")
    private List<Path> files = List.of();

    @Override
    public Integer call() {
        int status = 0;
        for (Path file : files) {
            status |= check(file);
        }
        return status;
    }

    private int check(Path file) {
        try {
            CheckedRules checked = RuleFile.check(file.toString(), RuleFile.text(file));
            checked.warnings().forEach(common.out()::println);
            common.out()
                    .println(file + ": ok, " + counted(checked.rules().rules().size(), "rule")
                            + (checked.warnings().isEmpty()
                                    ? ""
                                    : ", " + counted(checked.warnings().size(), "warning")));
            return 0;
        } catch (RuleFileException e) {
            e.problems().forEach(common.out()::println);
            return 1;
        }
    }

    private static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
