package dev.sluice.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.bench.report.Options;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The programs that a run needs beside Sluice. */
enum Tools {
    WRK("wrk", "wrk", "-v"),
    H2LOAD("h2load", "nghttp2-client", "--version"),
    NGINX("nginx", "nginx", "-v"),
    HAPROXY("haproxy", "haproxy", "-v");

    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d[\\w.]*");

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
        try {
            Process process = new ProcessBuilder(path(), asksVersion)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            Matcher version = VERSION.matcher(said);
            return version.find() ? version.group() : "of unknown version";
        } catch (IOException e) {
            throw new IllegalStateException(program + " cannot be started", e);
        }
    }

    private Optional<Path> find() {
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Stream.concat(Stream.of(path.split(File.pathSeparator, -1)), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
