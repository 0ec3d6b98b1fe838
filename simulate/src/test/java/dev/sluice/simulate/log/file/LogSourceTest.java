package dev.sluice.simulate.log.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.LogSummary;
import io.airlift.compress.zstd.ZstdOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Reading files: many, compressed, cut off, and not logs at all. Every line is an entry, or is counted as wrong. */
class LogSourceTest {
    @TempDir
    Path folder = Path.of("");

    private static String line(String ip, int second) {
        return line(ip, LocalTime.MIDNIGHT.plusSeconds(second) + (second % 60 == 0 ? ":00" : ""), "+0000");
    }

    private static String line(String ip, String time, String zone) {
        return ip + " - - [16/Nov/2026:" + time + " " + zone + "] \"GET /a HTTP/1.1\" 200 1\n";
    }

    private static String lines(String ip, int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(second -> line(ip, second))
                .collect(Collectors.joining());
    }

    private String file(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes).toString();
    }

    private String file(String name, String text) throws IOException {
        return file(name, text.getBytes(UTF_8));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    private static byte[] joined(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    private static Logs.Read read(String... names) {
        return Logs.read(LogOptions.DEFAULT, List.of("ip"), names);
    }

    private static String ips(Logs.Read read) {
        return read.entries().stream().map(LogEntry::ip).collect(Collectors.joining(" "));
    }

    @Test
    void manyFilesAreReadInTheOrderOfTheirTimes() throws IOException {
        String late = file("late.log", line("e", 50) + line("f", 60));
        String early = file("early.log.gz", gzip(line("a", 10) + line("c", 30) + line("g", 70)));
        String middle = file("middle.log", line("b", 20) + line("d", 40));
        assertThat(ips(read(late, early, middle))).isEqualTo("a b c d e f g");
    }

    @Test
    void entriesOfTheSameTimeComeInTheOrderOfTheirFile() throws IOException {
        String one = file("one.log", line("a", 10) + line("b", 10) + line("c", 11));
        String two = file("two.log", line("x", 10) + line("y", 11));
        assertThat(ips(read(one, two))).isEqualTo("a b x c y");
    }

    @Test
    void everyLineOfALargeFileIsRead() throws IOException {
        String text =
                IntStream.range(0, 30_000).mapToObj(i -> line("10.0.0." + i, i)).collect(Collectors.joining());
        Logs.Read read = read(file("large.log", text));
        assertThat(read.entries()).hasSize(30_000);
        assertThat(read.entries().get(29_999).ip()).isEqualTo("10.0.0.29999");
        assertThat(read.summary().lines()).isEqualTo(30_000);
    }

    @Test
    void gzipOfSeveralMembersIsReadToItsEndAlsoFromAPipeThatHesitates() throws IOException {
        byte[] bytes = joined(gzip(line("a", 1)), joined(gzip(line("b", 2)), gzip(line("c", 3))));
        assertThat(ips(read(file("members.gz", bytes)))).isEqualTo("a b c");
        LogOptions piped = LogOptions.DEFAULT.withStandardInput(new FilterInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            public int available() {
                return 0;
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                return super.read(into, from, Math.min(1, length));
            }
        });
        assertThat(ips(Logs.read(piped, List.of("ip"), "-"))).isEqualTo("a b c");
    }

    @Test
    void whatWasReadOfATruncatedGzipCounts() throws IOException {
        String text = lines("203.0.113.9", 0, 5000);
        byte[] whole = gzip(text);
        Logs.Read read = read(file("cut.gz", Arrays.copyOf(whole, whole.length / 2)));
        LogSummary summary = read.summary();
        assertThat(read.entries().size()).isBetween(1000, 4999);
        assertThat(summary.notes())
                .singleElement()
                .asString()
                .contains("cut.gz could not be read to its end", "counts");
        assertThat(summary.wrong()).isLessThanOrEqualTo(1);
        assertThat(summary.lines()).isEqualTo(read.entries().size() + summary.wrong());
        if (summary.wrong() == 1) {
            assertThat(summary.firstWrong().get(0).line()).isEqualTo(summary.lines());
            assertThat(summary.firstWrong().get(0).reason()).startsWith("cut off where the file ends");
        }
    }

    @Test
    void corruptGzipIsAClearMessageAndWhatWasReadCounts() throws IOException {
        Random random = new Random(1);
        String text = IntStream.range(0, 5000)
                .mapToObj(i -> line("10.0." + random.nextInt(256) + "." + random.nextInt(256), i))
                .collect(Collectors.joining());
        byte[] bytes = gzip(text);
        Arrays.fill(bytes, bytes.length / 2, bytes.length / 2 + 2000, (byte) 0x55);
        Logs.Read read = read(file("corrupt.gz", bytes));
        assertThat(read.entries().size()).isBetween(500, 4999);
        assertThat(read.summary().notes()).singleElement().asString().contains("could not be read to its end");
    }

    @Test
    void whatFollowsGzipAndIsNotGzipIsNotLostInSilence() throws IOException {
        byte[] zipped = gzip(lines("203.0.113.9", 0, 100));
        Logs.Read read = read(file("appended.gz", joined(zipped, line("b", 200).getBytes(UTF_8))));
        assertThat(read.entries()).hasSize(100);
        assertThat(read.summary().notes())
                .singleElement()
                .asString()
                .endsWith("what was read before line 101 counts: what follows the compressed data is not gzip");
        assertThat(read(file("padded.gz", joined(zipped, new byte[512])))
                        .summary()
                        .notes())
                .isEmpty();
    }

    @Test
    void zstdIsReadAndItsEndIsMissedIfItIsGone() throws IOException {
        Random random = new Random(1);
        String text = IntStream.range(0, 40_000)
                .mapToObj(i -> line("10.0." + random.nextInt(256) + "." + random.nextInt(256), i))
                .collect(Collectors.joining());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new ZstdOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        byte[] whole = bytes.toByteArray();
        assertThat(read(file("whole.zst", whole)).entries()).hasSize(40_000);
        Logs.Read cut = read(file("cut.zst", Arrays.copyOf(whole, whole.length * 3 / 4)));
        assertThat(cut.entries().size()).isBetween(5000, 39_999);
        assertThat(cut.summary().notes())
                .singleElement()
                .asString()
                .contains("cut.zst could not be read to its end", "zstdcat FILE | sluice replay -");
    }

    @Test
    void standardInputIsAFileToo() throws IOException {
        LogOptions options = LogOptions.DEFAULT.withStandardInput(
                new ByteArrayInputStream((line("b", 2) + line("d", 4)).getBytes(UTF_8)));
        String other = file("other.log", line("a", 1) + line("c", 3));
        assertThat(ips(Logs.read(options, List.of("ip"), "-", other))).isEqualTo("a b c d");
        assertThatThrownBy(() -> read("-", "-")).hasMessageContaining("'-' was given twice");
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void aPipeWithANameIsReadOnceAndToItsEnd() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        byte[] text = lines("a", 0, 20_000).getBytes(UTF_8);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            try (OutputStream out = Files.newOutputStream(pipe)) {
                out.write(text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Logs.Read read = assertTimeoutPreemptively(Duration.ofSeconds(30), () -> read(pipe.toString()));
        assertThat(read.entries()).hasSize(20_000);
        writer.get(10, TimeUnit.SECONDS);
    }

    @Test
    void aFileThatIsGivenTwiceIsRefused() throws IOException {
        String log = file("a.log", line("a", 1));
        String link = Files.createSymbolicLink(folder.resolve("current"), Path.of(log))
                .toString();
        assertThatThrownBy(() -> read(log, log))
                .isInstanceOf(LogException.class)
                .hasMessage("each log is read once: '" + log + "' was given twice");
        assertThatThrownBy(() -> read(log, link))
                .isInstanceOf(LogException.class)
                .hasMessage("each log is read once: '" + link + "' was given twice, first as '" + log + "'");
        assertThatThrownBy(() -> read("-", "-")).isInstanceOf(LogException.class);
    }

    @Test
    void aFileThatGrowsOrShrinksWhileItIsReadIsReadAsFarAsItGoes() throws IOException {
        int count = 8000 * (4 + Runtime.getRuntime().availableProcessors()); // twice what is read ahead
        Path log = Path.of(file("a.log", lines("a", 0, count)));
        Logs.Read grown = meanwhile(log, () -> Files.writeString(log, line("b", 86_399), StandardOpenOption.APPEND));
        assertThat(grown.entries()).hasSize(count + 1);
        assertThat(grown.summary().notes()).isEmpty();
        long before = Files.size(log);
        Logs.Read shrunk = meanwhile(log, () -> {
            try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
                channel.truncate(before / 2);
            }
        });
        assertThat(shrunk.entries()).hasSizeBetween(count / 2, count / 2 + 1);
        assertThat(shrunk.summary().notes())
                .containsExactly(log + " became shorter while it was read: of " + before + " bytes only " + before / 2
                        + " were there");
    }

    private interface Change {
        void run() throws IOException;
    }

    /** Reads a log that changes when its first entry has been read. */
    private static Logs.Read meanwhile(Path log, Change change) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        try (LogSource source = LogSource.open(List.of(log.toString()), LogOptions.DEFAULT)) {
            source.read(LogAttributes.of("ip"), entry -> {
                if (entries.isEmpty()) {
                    try {
                        change.run();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
                entries.add(entry);
            });
            return new Logs.Read(entries, source.summary(), source.files());
        }
    }

    @Test
    void gzipThatEndsInItsHeaderIsAClearMessage() throws IOException {
        String log = file("a.gz", Arrays.copyOf(gzip(line("a", 1)), 4));
        assertThatThrownBy(() -> read(log))
                .isInstanceOf(LogException.class)
                .hasMessage(log + " cannot be read: it is cut off within the header of gzip");
    }

    @Test
    void anEmptyFileIsSaidToBeEmpty() throws IOException {
        Logs.Read read = read(file("empty.log", ""), file("full.log", line("a", 1)));
        assertThat(ips(read)).isEqualTo("a");
        assertThat(read.summary().notes()).singleElement().asString().endsWith("empty.log is empty");
        assertThat(read(file("empty.gz", gzip(""))).summary().notes()).hasSize(1);
    }

    @Test
    void aBinaryFileIsSaidToBeBinary() throws IOException {
        byte[] bytes = new byte[100_000];
        new Random(7).nextBytes(bytes);
        String name = file("random.log", bytes);
        assertThatThrownBy(() -> read(name)).hasMessage(name + ": this is not a log but a binary file");
        assertThatThrownBy(() -> Logs.read(LogOptions.DEFAULT.withFormat("combined"), List.of(), name))
                .hasMessageContaining("lines of " + name + " are not in the format combined; " + name + ":1: ");
    }

    @Test
    void textThatIsNoLogIsShown() throws IOException {
        String name = file("poem.txt", "Roses are red\nViolets are blue\n");
        assertThatThrownBy(() -> read(name))
                .hasMessageStartingWith(name + ": no known format fits its first lines; say --format")
                .hasMessageEndingWith("the first line is 'Roses are red'");
    }

    @Test
    void aFileThatIsNotThereIsNamed() throws IOException {
        assertThatThrownBy(() -> read(folder.resolve("none.log").toString()))
                .hasMessage("there is no file " + folder.resolve("none.log"));
        assertThatThrownBy(() -> read(folder.toString())).hasMessageContaining("is a folder");
    }

    @Test
    void wrongLinesAreCountedAndTheFirstOnesShownWithTheirPlace() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            text.append(i % 1000 == 500 ? "garbage " + i + "\n" : line("a", i));
        }
        text.append("\n\n").append(line("last", 20_000).stripTrailing());
        String name = file("mixed.log", text.toString());
        Logs.Read read = read(name);
        assertThat(read.entries()).hasSize(19_981);
        assertThat(read.summary().wrong()).isEqualTo(20);
        assertThat(read.summary().lines()).isEqualTo(20_001);
        assertThat(read.summary().firstWrong()).hasSize(5);
        assertThat(read.summary().firstWrong().get(1)).hasToString(name + ":1501: no ' ' after %l: '1500'");
        assertThat(read.summary().firstWrong().get(4).line()).isEqualTo(4501);
    }

    @Test
    void mostLinesWrongIsFatal() throws IOException {
        String name = file("most.log", (line("a", 1) + "garbage\n").repeat(300) + "garbage\n".repeat(100));
        assertThatThrownBy(() -> read(name))
                .hasMessageContaining(
                        "400 of 700 lines of " + name + " are not in the format common; " + name + ":2: ");
        String other = file("other.log", "x\n".repeat(1_000_000));
        assertThatThrownBy(() -> Logs.read(LogOptions.DEFAULT.withFormat("%h %t"), List.of(), other))
                .hasMessageMatching("none of the first \\d+ lines of .* is in the format %h %t; .*other.log:1: no .*");
    }

    @Test
    void aLineOfTenMegabytesIsPassedOverAndNothingElseIsLost() throws IOException {
        String text =
                line("a", 1) + "x".repeat(10 << 20) + "\n" + line("b", 2) + "y".repeat(3 << 20) + "\n" + line("c", 3);
        String name = file("long.log", text);
        Logs.Read read = read(name);
        assertThat(ips(read)).isEqualTo("a b c");
        assertThat(read.summary().firstWrong())
                .extracting(Object::toString)
                .containsExactly(
                        name + ":2: a line of 10485760 bytes; at most 1048576 bytes are read",
                        name + ":4: a line of 3145728 bytes; at most 1048576 bytes are read");
        String last = file("last.log", line("a", 1) + line("b", 2) + "z".repeat(2 << 20));
        assertThat(read(last).summary().firstWrong().get(0).line()).isEqualTo(3);
    }

    @Test
    void aLongLineThatIsALogLineIsRead() throws IOException {
        String text = line("a", 1).replace("/a", "/" + "p".repeat(900_000)) + line("b", 2);
        assertThat(ips(read(file("path.log", text)))).isEqualTo("a b");
    }

    @Test
    void timeThatGoesBackwardsIsCountedAndKeepsItsPlace() throws IOException {
        String name = file("back.log", line("a", 100) + line("b", 40) + line("c", 101) + line("d", 99));
        String other = file("other.log", line("x", 50));
        Logs.Read read = read(name, other);
        assertThat(ips(read)).isEqualTo("x a b c d");
        assertThat(read.summary().backwards()).isEqualTo(2);
        assertThat(read.summary().furthestBackMicros()).isEqualTo(60_000_000);
        assertThat(read.summary().firstBackwards()).isEqualTo(name + ":2");
    }

    @Test
    void timesOfSeveralZonesAreComparedAsInstants() throws IOException {
        String one = file("one.log", line("a", "10:00:00", "+0200") + line("c", "06:10:00", "-0200"));
        String two = file("two.log", line("b", "08:05:00", "+0000") + line("d", "13:45:00", "+0530"));
        Logs.Read read = read(one, two);
        assertThat(ips(read)).isEqualTo("a b c d");
        assertThat(read.summary().backwards()).isZero();
    }

    @Test
    void endsOfLinesOfWindowsAndAMarkAtTheStartAreNoPartOfALine() throws IOException {
        String text = "\uFEFF" + (line("a", 1) + line("b", 2)).replace("\n", "\r\n");
        Logs.Read read = read(file("windows.log", text));
        assertThat(ips(read)).isEqualTo("a b");
        assertThat(read.entries().get(0).bytes()).isEqualTo(1);
    }

    @Test
    void hundredsOfRotatedFilesAreNotOpenAtOnce() throws IOException {
        String[] names = new String[300];
        for (int i = 0; i < names.length; i++) {
            names[i] = file("rotated." + i, lines("10.0.0." + i, i * 100, 100));
        }
        assertThat(read(names).entries()).hasSize(30_000);
    }
}
