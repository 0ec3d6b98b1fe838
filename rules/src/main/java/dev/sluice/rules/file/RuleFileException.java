package dev.sluice.rules.file;

import java.util.List;
import java.util.stream.Collectors;

/** A rule file was refused. */
public final class RuleFileException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<FileProblem> problems;

    RuleFileException(List<FileProblem> problems) {
        super(problems.stream().map(FileProblem::toString).collect(Collectors.joining(System.lineSeparator())));
        this.problems = List.copyOf(problems);
    }

    /** All problems, in the order of the file. */
    public List<FileProblem> problems() {
        return problems;
    }
}
