package dev.sluice.rules.file;

import dev.sluice.text.Quoted;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the problems of one file, so that all of them are reported at once. */
public final class FileProblems {
    /** The number of problems of one file that are reported. */
    private static final int MAX = 100;

    private static final String WARNING = "warning: ";

    private final String file;
    private final List<FileProblem> problems = new ArrayList<>();
    private final List<FileProblem> warnings = new ArrayList<>();
    private int more;

    /** No problems yet with {@code file}, which is how messages name it. */
    public FileProblems(String file) {
        this.file = file;
    }

    /** Adds a problem; line and column are counted from 1, or 0 for the file as a whole. */
    public void add(int line, int column, String field, String value, String message) {
        if (problems.size() == MAX) {
            more++;
        } else {
            problems.add(problem(line, column, field, value, message));
        }
    }

    /** Adds a warning: the file can be used, and something in it has no effect. */
    void warn(int line, int column, String field, String value, String message) {
        if (warnings.size() < MAX) {
            warnings.add(problem(line, column, field, value, WARNING + message));
        }
    }

    private FileProblem problem(int line, int column, String field, String value, String message) {
        String shown = Quoted.quoted(value);
        return new FileProblem(file, line, column, field, shown.substring(1, shown.length() - 1), message);
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
        List<FileProblem> sorted = sorted(problems);
        if (more > 0) {
            sorted.add(new FileProblem(file, 0, 0, "", "", "and " + more + " more problems"));
        }
        return sorted;
    }

    /** The warnings in the order of the file. */
    List<FileProblem> warnings() {
        return sorted(warnings);
    }

    private static List<FileProblem> sorted(List<FileProblem> problems) {
        List<FileProblem> sorted = new ArrayList<>(problems);
        sorted.sort(Comparator.comparingInt(FileProblem::line).thenComparingInt(FileProblem::column));
        return sorted;
    }

    RuleFileException exception() {
        return new RuleFileException(list());
    }
}
