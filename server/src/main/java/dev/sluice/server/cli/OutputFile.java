package dev.sluice.server.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A file that an option names and a command writes.
 *
 * @param option the option, such as {@code --out}
 * @param what what is written, for messages
 * @param name the name that was given
 */
record OutputFile(CommonOptions common, String option, String what, String name) {
    /**
     * Refuses a file that cannot be written, or that another argument names, before the work is done that it is for.
     *
     * @param others the files that the other arguments name
     */
    OutputFile checked(Collection<String> others) throws IOException {
        Path path = path();
        Path folder = path.toAbsolutePath().getParent();
        if (Files.isDirectory(path)) {
            throw unwritable("it is a folder");
        }
        if (folder != null && !Files.isDirectory(folder)) {
            throw unwritable("there is no folder " + folder);
        }
        if (Files.exists(path) ? !Files.isWritable(path) : folder != null && !Files.isWritable(folder)) {
            throw unwritable("permission denied");
        }
        for (String other : others) {
            if (isSame(path, other)) {
                throw common.wrongCall(option + " names '" + name + "', as another argument does; the " + what
                        + " would overwrite it");
            }
        }
        return this;
    }

    private static boolean isSame(Path path, String named) throws IOException {
        try {
            Path other = Path.of(named);
            return Files.exists(path)
                    ? Files.isRegularFile(path) && Files.exists(other) && Files.isSameFile(path, other)
                    : path.toAbsolutePath().equals(other.toAbsolutePath());
        } catch (InvalidPathException e) {
            return false; // whoever uses it says so
        }
    }

    /** Writes a text. */
    Path write(String text) throws IOException {
        try {
            return Files.writeString(path(), text);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    Path path() {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw common.wrongCall(option + " is not a path: '" + name + "'");
        }
    }

    IOException unwritable(IOException e) {
        return new IOException(problem(reason(e)), e);
    }

    private IOException unwritable(String reason) {
        return new IOException(problem(reason));
    }

    private String problem(String reason) {
        return "cannot write the " + what + " to '" + name + "': " + reason;
    }

    /** Why a file cannot be read or written: the JDK's messages often are nothing but its name. */
    static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        @Nullable String reason = e instanceof FileSystemException failed ? failed.getReason() : e.getMessage();
        return reason == null || reason.isBlank() ? e.getClass().getSimpleName() : reason;
    }
}
