package dev.sluice.server.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A file that an option names and a command writes.
 *
 * @param option the option, such as {@code --out}
 * @param what what is written, for messages
 * @param name the name that was given
 */
record OutputFile(CommonOptions common, String option, String what, String name) {
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
        return new IOException(
                "cannot write the " + what + " to '" + name + "': "
                        + e.getClass().getSimpleName(),
                e);
    }
}
