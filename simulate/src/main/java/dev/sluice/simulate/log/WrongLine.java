package dev.sluice.simulate.log;

/**
 * A line that is not a request in the format of its file.
 *
 * @param file the name of the file
 * @param line its number, from 1
 * @param reason what is wrong with it
 */
public record WrongLine(String file, long line, String reason) {
    /** {@code access.log:17: no status}. */
    @Override
    public String toString() {
        return file + ":" + line + ": " + reason;
    }
}
