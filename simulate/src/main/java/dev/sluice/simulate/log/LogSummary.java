package dev.sluice.simulate.log;

import java.util.List;

/**
 * What was read, and what was wrong with it.
 *
 * @param files the names of the files, each with its format
 * @param lines the number of lines, without empty ones
 * @param entries the number of requests
 * @param wrong the number of lines that are not a request
 * @param firstWrong the first few of them
 * @param backwards the number of requests that are older than one before them in the same file
 * @param furthestBackMicros by how much, at most
 * @param firstBackwards the place of the first of them; empty if there is none
 * @param notes sentences about whole files: empty, cut off, of another format
 */
public record LogSummary(
        List<FileFormat> files,
        long lines,
        long entries,
        long wrong,
        List<WrongLine> firstWrong,
        long backwards,
        long furthestBackMicros,
        String firstBackwards,
        List<String> notes) {
    /** The name of a file and that of its format. */
    public record FileFormat(String file, String format) {}

    public LogSummary {
        files = List.copyOf(files);
        firstWrong = List.copyOf(firstWrong);
        notes = List.copyOf(notes);
    }
}
