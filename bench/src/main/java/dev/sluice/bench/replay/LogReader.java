package dev.sluice.bench.replay;

import dev.sluice.bench.report.Programs;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A program that goes through the log, in the order of the table. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are
enum LogReader {
    MAWK("mawk, requests by ip and minute", "mawk", "mawk", "-W", "version"),
    GAWK("gawk, requests by ip and minute", "gawk", "gawk", "--version"),
    GOACCESS("GoAccess, its report as JSON", "goaccess", "goaccess", "--version"),
    GENERATE("sluice generate"),
    REPLAY("sluice replay, one rule by ip and minute"),
    REPLAY_PATHS("sluice replay, and one on a path and method"),
    SUGGEST("sluice suggest");

    /** The readers that are part of Sluice and go through the log. */
    static final List<LogReader> OF_SLUICE = List.of(REPLAY, REPLAY_PATHS, SUGGEST);

    /** All that go through the log. */
    static final List<LogReader> ALL = List.of(MAWK, GAWK, GOACCESS, REPLAY, REPLAY_PATHS, SUGGEST);

    final String label;
    /** The program; empty for Sluice. */
    private final String program;

    private final String aptPackage;
    private final List<String> asksVersion;

    LogReader(String label) {
        this(label, "", "");
    }

    LogReader(String label, String program, String aptPackage, String... asksVersion) {
        this.label = label;
        this.program = program;
        this.aptPackage = aptPackage;
        this.asksVersion = List.of(asksVersion);
    }

    boolean isSluice() {
        return program.isEmpty();
    }

    /** The program; empty if it is not installed. */
    Optional<Path> path() {
        return Programs.find(program);
    }

    /** Whether it can be run here. */
    boolean isThere() {
        return isSluice() || path().isPresent();
    }

    /** What a row says in place of figures. */
    String missing() {
        return isThere() ? "" : "not installed: apt-get install " + aptPackage;
    }

    String program() {
        return program;
    }

    /** The version of the program, if it is there. */
    Optional<String> version() {
        return path().map(found -> Programs.version(found, asksVersion));
    }
}
