package dev.sluice.rules.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.Limit;
import dev.sluice.rules.RegularFile;
import dev.sluice.rules.RuleSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads rule files. A file with a problem is refused whole, with all its problems. */
public final class RuleFile {
    /** The largest number of bytes of a rule file, wherever it comes from. */
    public static final int MAX_BYTES = YamlDocument.MAX_LENGTH;

    private RuleFile() {}

    /**
     * Reads rules from a text.
     *
     * @param fileName the name of the file for messages; relative paths in the text start at its folder
     * @throws RuleFileException if anything is wrong with it
     */
    public static RuleSet parse(String fileName, String text) {
        return check(fileName, text).rules();
    }

    /** The same, with warnings of what in the file has no effect. */
    public static CheckedRules check(String fileName, String text) {
        FileProblems problems = new FileProblems(fileName);
        RuleSet rules = new RuleSetReader(problems, folder(fileName)).rules(text);
        if (rules == null || !problems.isEmpty()) {
            throw problems.exception();
        }
        return new CheckedRules(rules, problems.warnings());
    }

    /**
     * Reads a rule file.
     *
     * @throws RuleFileException if it cannot be read, or anything is wrong with it
     */
    public static RuleSet read(Path file) {
        return parse(file.toString(), text(file));
    }

    /**
     * The text of a file.
     *
     * @throws RuleFileException if it cannot be read, is too large, or is not UTF-8
     */
    public static String text(Path file) {
        FileProblems problems = new FileProblems(file.toString());
        String text = null;
        try {
            text = decoded(RegularFile.read(file, MAX_BYTES), problems);
        } catch (NoSuchFileException e) {
            problems.add("there is no such file");
        } catch (FileSystemException e) {
            problems.add("cannot be read: " + e);
        } catch (IOException e) {
            problems.add("cannot be read: " + e.getMessage());
        }
        if (text == null) {
            throw problems.exception();
        }
        return text;
    }

    /**
     * Reads a limit in the short form, such as {@code 5 per 1m sliding-log}.
     *
     * @param where the name of the place for messages
     * @throws RuleFileException if anything is wrong with it
     */
    public static Limit limit(String where, String text) {
        FileProblems problems = new FileProblems(where);
        Limit limit = LimitReader.shortForm(YamlValue.of(text, problems));
        if (limit == null || !problems.isEmpty()) {
            throw problems.exception();
        }
        return limit;
    }

    /** The rules that a server starts with when it is given none. */
    public static RuleSet example() {
        return parse("example-rules.yaml", exampleText());
    }

    /** The text of {@link #example}, with comments. */
    public static String exampleText() {
        try (InputStream file = RuleSet.class.getResourceAsStream("example-rules.yaml")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable String decoded(byte[] bytes, FileProblems problems) {
        CharsetDecoder decoder = UTF_8.newDecoder();
        CharBuffer text = CharBuffer.allocate(bytes.length + 1);
        CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), text, true);
        text.flip();
        if (!result.isError()) {
            return text.length() > 0 && text.charAt(0) == '\uFEFF'
                    ? text.toString().substring(1)
                    : text.toString();
        }
        String before = text.toString();
        int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
        problems.add(line, before.length() - before.lastIndexOf('\n'), "", "", "not UTF-8");
        return null;
    }

    private static Path folder(String fileName) {
        try {
            Path parent = Path.of(fileName).toAbsolutePath().getParent();
            return parent == null ? Path.of("") : parent;
        } catch (InvalidPathException e) {
            return Path.of("");
        }
    }
}
