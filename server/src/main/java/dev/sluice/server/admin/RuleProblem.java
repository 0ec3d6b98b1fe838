package dev.sluice.server.admin;

import io.vertx.core.json.JsonObject;

/**
 * One thing that is wrong with a rule file.
 *
 * @param line from 1; 0 if it is not about a place in the text
 * @param column from 1; 0 if it is not about a place in the text
 */
record RuleProblem(String message, int line, int column) {
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
