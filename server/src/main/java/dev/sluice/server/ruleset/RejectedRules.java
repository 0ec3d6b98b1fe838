package dev.sluice.server.ruleset;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;

/**
 * Rules that were not put in force because they are wrong.
 *
 * @param where the file or the version they are from
 * @param problems everything that is wrong with them
 */
public record RejectedRules(String where, Instant when, List<RuleProblem> problems) {
    public JsonObject json() {
        return new JsonObject().put("where", where).put("when", when.toString()).put("problems", array(problems));
    }

    static JsonArray array(List<RuleProblem> problems) {
        JsonArray array = new JsonArray();
        problems.forEach(problem -> array.add(problem.json()));
        return array;
    }

    /** Thrown where rules turn out to be wrong. */
    static final class BadRulesException extends RuntimeException {
        private static final long serialVersionUID = 1;

        final transient List<RuleProblem> problems;

        BadRulesException(List<RuleProblem> problems) {
            super(problems.size() + (problems.size() == 1 ? " problem" : " problems"), null, false, false);
            this.problems = List.copyOf(problems);
        }

        BadRulesException(String problem) {
            this(List.of(new RuleProblem(problem, 0, 0)));
        }
    }
}
