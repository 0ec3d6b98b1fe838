package dev.sluice.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
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
 * Sees when a file has other content.
 *
 * <p>Why it looks rather than listens: notices of the file system tell of the folder that a link is in and not of what it
 * leads to, and are not there at all on many network and container mounts. A look costs one call. The link is followed
 * to the end each time, so that a file that is renamed over the old one, and the links that Kubernetes swaps, are seen.
 * Whatever is new is taken only when it is the same at the next look: an editor may be in the middle of writing.
 */
final class RuleWatch {
    /** A file that was written this short a time ago may be written again and keep its time. */
    private static final Duration GRAIN = Duration.ofSeconds(3);

    private record Mark(
            Path real,
            FileTime modified,
            long size,
            @Nullable Object fileKey) {}

    private final Path file;
    private final int mostBytes;
    private @Nullable Mark seen;
    private String text;
    private @Nullable String settling;
    private @Nullable String trouble;

    /** Watches a file whose content has been read already. */
    RuleWatch(Path file, String text, int mostBytes) {
        this.file = file;
        this.text = text;
        this.mostBytes = mostBytes;
    }

    /** The new content, once, if there is any. */
    Optional<String> look() {
        try {
            Mark mark = mark();
            if (settling == null && trouble == null && mark.equals(seen) && !isFresh(mark)) {
                return Optional.empty();
            }
            String now = read(mark);
            seen = mark;
            trouble = null;
            return settled(now);
        } catch (IOException e) {
            settling = null;
            trouble = file + " cannot be read: " + reason(e);
            return Optional.empty();
        }
    }

    /** Why the file could not be read at the last look, or null. */
    @Nullable
    String trouble() {
        return trouble;
    }

    /** When the file was last written, or the beginning of time if that is not known. */
    Instant modified() {
        try {
            return mark().modified().toInstant();
        } catch (IOException e) {
            return Instant.EPOCH;
        }
    }

    private Optional<String> settled(String now) {
        if (now.equals(text)) {
            settling = null;
            return Optional.empty();
        }
        if (!now.equals(settling)) {
            settling = now;
            return Optional.empty();
        }
        settling = null;
        text = now;
        return Optional.of(now);
    }

    private String read(Mark mark) throws IOException {
        if (mark.size() > mostBytes) {
            throw new IOException("it has " + mark.size() + " bytes, and may have " + mostBytes);
        }
        return read(mark.real());
    }

    /** The text of a file, without the mark that some editors begin it with. */
    static String read(Path file) throws IOException {
        String text = UTF_8.newDecoder()
                .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                .toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private Mark mark() throws IOException {
        Path real = file.toRealPath();
        BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
        return new Mark(real, attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }

    private static boolean isFresh(Mark mark) {
        Duration age =
                Duration.between(mark.modified().toInstant(), Instant.now()).abs();
        return age.compareTo(GRAIN) < 0;
    }

    private static String reason(IOException e) {
        String message = Objects.requireNonNullElse(e.getMessage(), "");
        return e.getClass().getSimpleName() + (message.isEmpty() ? "" : " " + message);
    }
}
