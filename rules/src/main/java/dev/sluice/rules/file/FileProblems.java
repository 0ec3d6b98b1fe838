package dev.sluice.rules.file;

import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the problems of one file, so that all of them are reported at once. */
public final class FileProblems {
    /** The number of problems of one file that are reported. */
    private static final int MAX = 100;

    private final String file;
    private final List<FileProblem> problems = new ArrayList<>();
    private int more;

    /** No problems yet with {@code file}, which is how messages name it. */
    public FileProblems(String file) {
        this.file = file;
    }

    /** Adds a problem; line and column are counted from 1, or 0 for the file as a whole. */
    public void add(int line, int column, String field, String value, String message) {
        String shown = Quoted.quoted(value);
        if (problems.size() == MAX) {
            more++;
            return;
        }
        problems.add(new FileProblem(file, line, column, field, shown.substring(1, shown.length() - 1), message));
    }

    /** Adds a problem with the file as a whole. */
    public void add(String message) {
        add(0, 0, "", "", message);
    }

    public boolean isEmpty() {
        return problems.isEmpty();
    }

    /** The problems in the order of the file. */
    public List<FileProblem> list() {
        List<FileProblem> sorted = new ArrayList<>(problems);
        sorted.sort(Comparator.comparingInt(FileProblem::line).thenComparingInt(FileProblem::column));
        if (more > 0) {
            sorted.add(new FileProblem(file, 0, 0, "", "", "and " + more + " more problems"));
        }
        return sorted;
    }

    RuleFileException exception() {
        return new RuleFileException(list());
    }
}
