package dev.sluice.rules.file;

/**
 * A problem with a file.
 *
 * @param file the name of the file
 * @param line the line, from 1; 0 if it is the file as a whole
 * @param column the column, from 1; 0 if it is the file as a whole
 * @param field where in the document, such as {@code rules[2].limits[0]}; empty for the document itself
 * @param value what is written there, cut if very long
 * @param message what is wrong, and what was expected
 */
public record FileProblem(String file, int line, int column, String field, String value, String message) {
    /** {@code rules.yaml:4:9: rules[0].limits[0]: message}. */
    @Override
    public String toString() {
        String place = line == 0 ? file : file + ":" + line + ":" + column;
        return place + ": " + (field.isEmpty() ? "" : field + ": ") + message;
    }
}
