package dev.sluice.server.ruleset;

import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.FileProblem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rule file that was checked and not put in force.
 *
 * @param rules what it says; empty if it is wrong
 * @param problems everything that is wrong with it
 * @param warnings what in it has no effect
 */
public record CheckedText(Optional<RuleSet> rules, List<RuleProblem> problems, List<RuleProblem> warnings) {
    private static final Pattern SUGGESTION =
            Pattern.compile("'([^'\\\\…]*)'[^']*; did you mean '([^']*)'\\?", Pattern.DOTALL);

    public CheckedText {
        problems = List.copyOf(problems);
        warnings = List.copyOf(warnings);
    }

    static CheckedText of(RuleSet rules, List<FileProblem> warnings) {
        return new CheckedText(
                Optional.of(rules),
                List.of(),
                warnings.stream().map(RuleProblem::of).toList());
    }

    static CheckedText wrong(List<RuleProblem> problems) {
        return new CheckedText(Optional.empty(), problems, List.of());
    }

    /** Whether it could be put in force, and how many rules it has; or what is wrong, and where. */
    public JsonObject json() {
        return rules.map(right -> new JsonObject()
                        .put("ok", true)
                        .put("rules", right.rules().size())
                        .put("warnings", array(warnings)))
                .orElseGet(() -> new JsonObject().put("ok", false).put("problems", array(problems)));
    }

    private static JsonArray array(List<RuleProblem> problems) {
        JsonArray array = new JsonArray();
        problems.forEach(problem -> array.add(withSuggestion(problem)));
        return array;
    }

    /** Adds the word that was meant, and the one that is written in its place, where the message says so. */
    private static JsonObject withSuggestion(RuleProblem problem) {
        Matcher matcher = SUGGESTION.matcher(problem.message());
        JsonObject json = problem.json();
        return matcher.find() ? json.put("written", matcher.group(1)).put("suggestion", matcher.group(2)) : json;
    }
}
