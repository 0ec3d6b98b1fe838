package dev.sluice.rules.file;

import dev.sluice.rules.Quoted;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Gathers what is wrong with a file, so that all of it is told at once. */
final class FileProblems {
    /** The most that are told of one file. */
    private static final int MOST = 100;

    private final String file;
    private final List<FileProblem> problems = new ArrayList<>();
    private int more;

    FileProblems(String file) {
        this.file = file;
    }

    /** A value is wrong. */
    void add(Node node, String field, String message) {
        add(node, 0, field, message);
    }

    /** A value is wrong from the character at {@code offset} on. */
    void add(Node node, int offset, String field, String message) {
        String value = node instanceof ScalarNode scalar ? scalar.getValue() : "";
        Optional<Mark> mark = node.getStartMark();
        int column = mark.map(Mark::getColumn).orElse(-1) + 1;
        boolean plain = node instanceof ScalarNode scalar && scalar.isPlain();
        add(mark.map(Mark::getLine).orElse(-1) + 1, plain ? column + offset : column, field, value, message);
    }

    /** Something is wrong at a place; both are counted from 1, or 0 for the file as a whole. */
    void add(int line, int column, String field, String value, String message) {
        String shown = Quoted.quoted(value);
        if (problems.size() == MOST) {
            more++;
            return;
        }
        problems.add(new FileProblem(file, line, column, field, shown.substring(1, shown.length() - 1), message));
    }

    boolean isEmpty() {
        return problems.isEmpty();
    }

    RuleFileException exception() {
        List<FileProblem> sorted = new ArrayList<>(problems);
        sorted.sort(Comparator.comparingInt(FileProblem::line).thenComparingInt(FileProblem::column));
        if (more > 0) {
            sorted.add(new FileProblem(file, 0, 0, "", "", "and " + more + " problems more"));
        }
        return new RuleFileException(sorted);
    }
}
