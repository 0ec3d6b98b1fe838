package dev.sluice.server.ruleset;

import dev.sluice.rules.file.FileProblem;
import io.vertx.core.json.JsonObject;

/**
 * One mistake in a rule file.
 *
 * @param line from 1; 0 if the mistake is not at a place in the text
 * @param column from 1; 0 if the mistake is not at a place in the text
 */
public record RuleProblem(String message, int line, int column) {
    static RuleProblem of(FileProblem problem) {
        return new RuleProblem(
                (problem.field().isEmpty() ? "" : problem.field() + ": ") + problem.message(),
                problem.line(),
                problem.column());
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        if (line > 0) {
            json.put("line", line).put("column", column);
        }
        return json.put("message", message);
    }

    /** {@code 4:9: message}. */
    @Override
    public String toString() {
        return line > 0 ? line + ":" + column + ": " + message : message;
    }
}
