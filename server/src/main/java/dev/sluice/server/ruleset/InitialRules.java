package dev.sluice.server.ruleset;

import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.CheckedRules;
import dev.sluice.rules.file.FileProblem;
import dev.sluice.rules.file.RuleFile;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules that a server starts with.
 *
 * @param name the name of the file, for messages
 * @param text the text of the file
 * @param rules the same, parsed
 * @param warnings what in it has no effect
 * @param file the file to watch; null if the rules are built in
 */
public record InitialRules(
        String name,
        String text,
        RuleSet rules,
        List<FileProblem> warnings,
        @Nullable Path file) {
    /** The example that is built in. */
    public static InitialRules example() {
        return builtIn("example-rules.yaml", RuleFile.exampleText());
    }

    /** Rules that are in no file. */
    public static InitialRules builtIn(String name, String text) {
        return of(name, text, null);
    }

    /**
     * A rule file, which the server will watch.
     *
     * @throws dev.sluice.rules.file.RuleFileException if it cannot be read or is wrong
     */
    public static InitialRules of(Path file) {
        return of(file.toString(), RuleFile.text(file), file);
    }

    private static InitialRules of(String name, String text, @Nullable Path file) {
        CheckedRules checked = RuleFile.check(name, text);
        return new InitialRules(name, text, checked.rules(), checked.warnings(), file);
    }
}
