package dev.sluice.rules.watch;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.rules.file.RuleFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each look is a call here, so that nothing depends on time. */
class WatchedFileTest {
    @TempDir
    Path folder = Path.of("");

    private Path file = Path.of("");
    private WatchedFile watch = new WatchedFile(file, "");

    @BeforeEach
    void watch() throws IOException {
        file = Files.writeString(folder.resolve("rules.yaml"), "one");
        watch = new WatchedFile(file, "one");
    }

    @Test
    void tellsOnceAndOnlyWhatHasSettled() throws IOException {
        assertThat(watch.look()).isEmpty();
        Files.writeString(file, "tw");
        assertThat(watch.look()).as("may be half written").isEmpty();
        Files.writeString(file, "two");
        assertThat(watch.look()).as("it was").isEmpty();
        assertThat(watch.look()).hasValue("two");
        assertThat(watch.look()).isEmpty();
    }

    @Test
    void anotherFileOfTheSameSizeAndTimeRenamedOverIt() throws IOException {
        FileTime old = FileTime.from(Instant.parse("2020-01-01T00:00:00Z"));
        Files.setLastModifiedTime(file, old);
        watch.look();
        Path other = Files.writeString(folder.resolve("rules.yaml.new"), "two");
        Files.setLastModifiedTime(other, old);
        Files.move(other, file, ATOMIC_MOVE);
        assertThat(watch.look()).isEmpty();
        assertThat(watch.look()).hasValue("two");
    }

    /** A volume of Kubernetes: rules.yaml is a link into ..data, which is a link to a folder that is swapped. */
    @Test
    void linksThatAreSwapped() throws IOException {
        Path mount = Files.createDirectory(folder.resolve("mount"));
        Path first = Files.createDirectory(mount.resolve("..2026_01"));
        Path second = Files.createDirectory(mount.resolve("..2026_02"));
        Files.writeString(first.resolve("rules.yaml"), "one");
        Files.writeString(second.resolve("rules.yaml"), "two");
        Path data = Files.createSymbolicLink(mount.resolve("..data"), first.getFileName());
        Path link = Files.createSymbolicLink(mount.resolve("rules.yaml"), Path.of("..data", "rules.yaml"));
        WatchedFile linked = new WatchedFile(link, "one");
        assertThat(linked.look()).isEmpty();
        Path swap = Files.createSymbolicLink(mount.resolve("..data_tmp"), second.getFileName());
        Files.move(swap, data, ATOMIC_MOVE);
        linked.look();
        assertThat(linked.look()).hasValue("two");
    }

    @Test
    void aFileThatGoesAndComesBack() throws IOException {
        Files.delete(file);
        assertThat(watch.look()).isEmpty();
        assertThat(watch.problem()).contains("rules.yaml cannot be read: NoSuchFileException");
        Files.writeString(file, "one");
        assertThat(watch.look()).as("nothing new").isEmpty();
        assertThat(watch.problem()).isNull();
        Files.delete(file);
        watch.look();
        Files.writeString(file, "two");
        watch.look();
        assertThat(watch.look()).hasValue("two");
    }

    @Test
    void theMarkOfSomeEditorsIsNoText() throws IOException {
        Files.writeString(file, "\uFEFFone");
        watch.look();
        assertThat(watch.look()).isEmpty();
    }

    @Test
    void whatIsTooLongOrNoTextIsNotTaken() throws IOException {
        Files.writeString(file, "x".repeat(RuleFile.MAX_BYTES + 1));
        watch.look();
        assertThat(watch.look()).isEmpty();
        assertThat(watch.problem()).contains("too large: 4194305 bytes, at most 4194304");
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe});
        watch.look();
        assertThat(watch.look()).isEmpty();
        assertThat(watch.problem()).contains("rules.yaml:1:1: not UTF-8");
    }
}
