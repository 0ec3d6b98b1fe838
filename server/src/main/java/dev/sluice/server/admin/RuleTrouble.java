package dev.sluice.server.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;

/**
 * Rules that are not in force because something is wrong with them.
 *
 * @param where they came from: a file, or a version on the board
 * @param problems everything that is wrong
 */
record RuleTrouble(String where, Instant when, List<RuleProblem> problems) {
    JsonObject json() {
        return new JsonObject().put("where", where).put("when", when.toString()).put("problems", array(problems));
    }

    static JsonArray array(List<RuleProblem> problems) {
        JsonArray array = new JsonArray();
        problems.forEach(problem -> array.add(problem.json()));
        return array;
    }
}
