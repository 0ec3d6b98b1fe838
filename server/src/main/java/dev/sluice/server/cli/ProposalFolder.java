package dev.sluice.server.cli;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder with a file for each proposal, named by its time. Files that are there are only looked at by their names, and
 * never written: a person may edit, move or delete them.
 */
final class ProposalFolder {
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("'proposal-'uuuuMMdd-HHmmss'Z.yaml'", Locale.ROOT);

    private final Path folder;

    /** Makes the folder if it is not there. */
    ProposalFolder(Path folder) throws IOException {
        this.folder = folder;
        try {
            Files.createDirectories(folder);
        } catch (FileAlreadyExistsException e) {
            throw new IOException("--watch names a folder for proposals, and " + folder + " is a file", e);
        }
    }

    /** When the newest proposal was made; null if there is none. */
    @Nullable
    Instant newest() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> time(file.getFileName().toString()))
                    .filter(Objects::nonNull)
                    .max(Comparator.naturalOrder())
                    .orElse(null);
        } catch (IOException e) {
            throw new IOException("cannot read the folder '" + folder + "': " + OutputFile.reason(e), e);
        }
    }

    private static @Nullable Instant time(String name) {
        try {
            return LocalDateTime.parse(name, NAME).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Writes a proposal. It is there as a whole or not at all. */
    Path write(Instant now, String text) throws IOException {
        String name = NAME.format(now.truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC));
        try {
            return write(name, text);
        } catch (FileAlreadyExistsException e) {
            throw new IOException("there is a proposal of this second, '" + e.getFile() + "'", e);
        } catch (IOException e) {
            throw new IOException("cannot write a proposal to '" + folder + "': " + OutputFile.reason(e), e);
        }
    }

    private Path write(String name, String text) throws IOException {
        Path temporary = Files.createTempFile(folder, ".proposal", ".tmp");
        try {
            Files.writeString(temporary, text);
            return Files.move(temporary, folder.resolve(name));
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
