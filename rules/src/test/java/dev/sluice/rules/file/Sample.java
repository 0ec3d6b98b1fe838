package dev.sluice.rules.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The rule files under {@code good} and {@code bad}; bad ones say in comments at their end what is wrong with them. */
record Sample(String name, String text) {
    private static final String EXPECTED = "# => ";

    static List<Sample> all(String folder) {
        try {
            URI place = Objects.requireNonNull(Sample.class.getResource(folder)).toURI();
            try (Stream<Path> files = Files.list(Path.of(place))) {
                return files.sorted().map(Sample::read).toList();
            }
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Sample read(Path file) {
        try {
            return new Sample(file.getFileName().toString(), Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The beginnings of the problems it should have. */
    List<String> problems() {
        return text.lines()
                .filter(line -> line.startsWith(EXPECTED))
                .map(line -> name + ":" + line.substring(EXPECTED.length()).strip())
                .toList();
    }

    /** Whether a schema could not know that it is wrong. */
    boolean passesSchema() {
        return text.contains("# schema: passes");
    }

    @Override
    public String toString() {
        return name;
    }
}
