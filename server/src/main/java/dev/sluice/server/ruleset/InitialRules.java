package dev.sluice.server.ruleset;

import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The rules that a server starts with.
 *
 * @param name the name of the file, for messages
 * @param text the text of the file
 * @param rules the same, parsed
 * @param file the file to watch; null if the rules are built in
 */
public record InitialRules(
        String name, String text, RuleSet rules, @Nullable Path file) {
    /** The example that is built in. */
    public static InitialRules example() {
        return builtIn("example-rules.yaml", RuleFile.exampleText());
    }

    /** Rules that are in no file. */
    public static InitialRules builtIn(String name, String text) {
        return new InitialRules(name, text, RuleFile.parse(name, text), null);
    }

    /**
     * A rule file, which the server will watch.
     *
     * @throws dev.sluice.rules.file.RuleFileException if it cannot be read or is wrong
     */
    public static InitialRules of(Path file) {
        String text = RuleFile.text(file);
        return new InitialRules(file.toString(), text, RuleFile.parse(file.toString(), text), file);
    }
}
