package dev.sluice.bench.server;

import dev.sluice.bench.report.Options;
import dev.sluice.bench.report.Programs;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The programs that a run needs beside Sluice. */
enum Tools {
    WRK("wrk", "wrk", "-v"),
    H2LOAD("h2load", "nghttp2-client", "--version"),
    NGINX("nginx", "nginx", "-v"),
    HAPROXY("haproxy", "haproxy", "-v");

    final String program;
    private final String aptPackage;
    private final String asksVersion;

    Tools(String program, String aptPackage, String asksVersion) {
        this.program = program;
        this.aptPackage = aptPackage;
        this.asksVersion = asksVersion;
    }

    /** The programs that are not installed. */
    static List<Tools> missing() {
        return Arrays.stream(values()).filter(tool -> tool.find().isEmpty()).toList();
    }

    /** @throws Options.BadOption with what to install, if something is missing */
    static void requireAll() {
        List<Tools> missing = missing();
        if (!missing.isEmpty()) {
            throw new Options.BadOption("this needs "
                    + String.join(
                            ", ", missing.stream().map(tool -> tool.program).toList())
                    + ", which is not on the PATH. On Debian or Ubuntu: sudo apt-get install "
                    + String.join(
                            " ", missing.stream().map(tool -> tool.aptPackage).toList()));
        }
    }

    String path() {
        return find().orElseThrow(() -> new IllegalStateException(program + " is not on the PATH"))
                .toString();
    }

    String version() {
        return Programs.version(Path.of(path()), List.of(asksVersion));
    }

    private Optional<Path> find() {
        return Programs.find(program);
    }
}
