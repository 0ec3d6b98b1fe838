package dev.sluice;

import dev.sluice.text.Quoted;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** A text is no limit. It says all that is wrong, and where. */
public final class LimitSyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient List<Problem> problems;

    /**
     * One thing that is wrong.
     *
     * @param field what it is about: {@code permits}, {@code per}, {@code algorithm} or the name of an option; empty if
     *     it is the limit as a whole
     * @param offset where it begins in the text; 0 in a limit that was given field by field
     * @param message what is wrong, the value, and what was expected
     */
    public record Problem(String field, int offset, String message) {}

    private LimitSyntaxException(String message, List<Problem> problems) {
        super(message);
        this.problems = problems;
    }

    /** Of a limit as one text. */
    static LimitSyntaxException of(String text, List<Problem> problems) {
        List<Problem> sorted = problems.stream()
                .sorted(Comparator.comparingInt(Problem::offset))
                .toList();
        String message = sorted.stream()
                .map(problem -> "character " + (problem.offset + 1) + ": " + problem.message)
                .collect(Collectors.joining("; "));
        return new LimitSyntaxException(Quoted.quoted(text) + ", " + message, sorted);
    }

    /** Of a limit given field by field. */
    static LimitSyntaxException of(List<Problem> problems) {
        String message = problems.stream()
                .map(problem -> problem.field.isEmpty() ? problem.message : problem.field + ": " + problem.message)
                .collect(Collectors.joining("; "));
        return new LimitSyntaxException(message, List.copyOf(problems));
    }

    /** All that is wrong, in the order of the text. */
    public List<Problem> problems() {
        return problems;
    }

    /** Where the first problem begins in the text, counted from 0. */
    public int offset() {
        return problems.get(0).offset;
    }
}
