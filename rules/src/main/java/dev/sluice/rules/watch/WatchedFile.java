package dev.sluice.rules.watch;

import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A rule file whose changes are noticed by looking at it.
 *
 * <p>Why not notifications of the file system: they report changes in the folder that a link is in and not in the folder
 * it leads to, and many network and container mounts have none. A look costs one system call. It follows links to their
 * end each time, so it notices a file that is renamed over the old one, and the links that Kubernetes swaps.
 */
public final class WatchedFile {
    /** A file that was written this short a time ago may be written again and keep its time. */
    private static final Duration TIME_RESOLUTION = Duration.ofSeconds(3);

    private record Attributes(
            Path real,
            FileTime modified,
            long size,
            @Nullable Object fileKey) {}

    private final Path file;
    private final WatchedContent<String> content;
    private @Nullable Attributes seen;
    private @Nullable String problem;

    /** Watches a file whose text has been read already. */
    public WatchedFile(Path file, String text) {
        this.file = file;
        this.content = new WatchedContent<>(text);
    }

    /** The new text, once, if the file has changed. */
    public Optional<String> look() {
        try {
            Attributes now = attributes();
            if (content.isSettled() && problem == null && now.equals(seen) && !isRecent(now)) {
                return Optional.empty();
            }
            String text = RuleFile.text(file);
            seen = now;
            problem = null;
            return content.read(text);
        } catch (IOException e) {
            return unreadable(file + " cannot be read: " + reason(e));
        } catch (RuleFileException e) {
            return unreadable(String.valueOf(e.getMessage()));
        }
    }

    private Optional<String> unreadable(String why) {
        content.unreadable();
        problem = why;
        return Optional.empty();
    }

    /** Why the file could not be read at the last look, or null. */
    public @Nullable String problem() {
        return problem;
    }

    /** When the file was last written; the epoch if that is not known. */
    public Instant modified() {
        try {
            return attributes().modified().toInstant();
        } catch (IOException e) {
            return Instant.EPOCH;
        }
    }

    private Attributes attributes() throws IOException {
        Path real = file.toRealPath();
        BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
        return new Attributes(real, attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }

    private static boolean isRecent(Attributes attributes) {
        Duration age = Duration.between(attributes.modified().toInstant(), Instant.now())
                .abs();
        return age.compareTo(TIME_RESOLUTION) < 0;
    }

    private static String reason(IOException e) {
        String message = Objects.requireNonNullElse(e.getMessage(), "");
        return e.getClass().getSimpleName() + (message.isEmpty() ? "" : " " + message);
    }
}
