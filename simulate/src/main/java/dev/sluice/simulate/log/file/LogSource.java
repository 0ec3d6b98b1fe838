package dev.sluice.simulate.log.file;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.LogSummary;
import dev.sluice.simulate.log.WrongLine;
import dev.sluice.simulate.log.format.LogFormat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Logs as one stream of requests, in the order of their times.
 *
 * <pre>{@code
 * try (LogSource logs = LogSource.open(List.of("access.log", "access.log.1.gz"), LogOptions.DEFAULT)) {
 *     logs.read(LogAttributes.of("ip", "path"), entry -> count(entry.ip()));
 *     logs.summary().firstWrong().forEach(System.err::println);
 * }
 * }</pre>
 *
 * <p>Other threads read and parse, as many as there are processors less one, and at most four; the consumer is called on
 * the thread that calls {@link #read}. A file is opened when its first time has come, so that many rotated files take no more memory than
 * those that overlap. Many files are read in smaller blocks than few.
 *
 * <p>Files are merged by time. Within a file the order of its lines is kept: an entry that is older than one before it
 * comes where it stands, and is counted in {@link LogSummary#backwards}.
 */
public final class LogSource implements AutoCloseable {
    private static final int FEW_FILES = 16;
    private static final int LARGE_BLOCK = 256 << 10;
    /** Parsing a line takes less than half of what its consumer takes, so that more threads would only wait. */
    private static final int MAX_THREADS = 4;

    private static final int SMALL_BLOCK = 32 << 10;

    private final List<LogFile> files;
    private final int threads =
            Math.max(1, Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors() - 1));
    private final ExecutorService executor = Executors.newFixedThreadPool(threads, task -> {
        Thread thread = new Thread(task, "sluice-log");
        thread.setDaemon(true);
        return thread;
    });

    /** The next entry of a file, and when it is due: not before those that stand before it in the file. */
    private record Head(LogFile file, LogEntry entry, long dueMicros, int number) {}

    /**
     * A file.
     *
     * @param name its name
     * @param format the name of its format, or the format string
     * @param attributes the attributes that its entries can have
     */
    public record FileInfo(String name, String format, List<String> attributes) {}

    private LogSource(List<LogFile> files) {
        this.files = List.copyOf(files);
    }

    /**
     * Opens logs and finds their formats.
     *
     * @param names the names of files, and of the streams of the options: {@code -} is standard input
     * @throws LogException if one of them cannot be read or has no known format
     */
    public static LogSource open(List<String> names, LogOptions options) {
        String format = options.format();
        if (format != null) {
            LogFormat.parse(format, options.map()); // a mistake in it is nobody's file
        }
        Map<Object, String> seen = new HashMap<>();
        for (String name : names) {
            long unused =
                    LogInput.size(name, options.streams()); // says what is wrong with any of them before one is read
            String before = seen.putIfAbsent(LogInput.identity(name, options.streams()), name);
            if (before != null) {
                throw new LogException("each log is read once: '" + name + "' was given twice"
                        + (before.equals(name) ? "" : ", first as '" + before + "'"));
            }
        }
        int blockSize = names.size() <= FEW_FILES ? LARGE_BLOCK : SMALL_BLOCK;
        List<LogFile> files = new ArrayList<>();
        for (String name : names) {
            files.add(new LogFile(name, options, blockSize));
        }
        return new LogSource(files);
    }

    /** The files, except empty ones. */
    public List<FileInfo> files() {
        return files.stream()
                .filter(file -> !file.isEmpty())
                .map(file -> new FileInfo(file.name(), file.format().name(), file.attributes()))
                .toList();
    }

    /** How many bytes of the files have been read, compressed where they are. Any thread may ask. */
    public long bytesRead() {
        return files.stream().mapToLong(LogFile::bytesRead).sum();
    }

    /** How many bytes the files have together; 0 if that is not known. */
    public long totalBytes() {
        boolean known = files.stream().noneMatch(LogFile::isStream);
        return known ? files.stream().mapToLong(LogFile::sizeBytes).sum() : 0;
    }

    /**
     * Reads all entries, once.
     *
     * @param wanted the attributes that the entries are to have
     * @throws LogException if most lines of a file are wrong
     */
    public void read(LogAttributes wanted, Consumer<LogEntry> consumer) {
        Deque<LogFile> later = new ArrayDeque<>(files.stream()
                .sorted(Comparator.comparingLong(LogFile::firstMicros))
                .toList());
        PriorityQueue<Head> heads =
                new PriorityQueue<>(Comparator.comparingLong(Head::dueMicros).thenComparingInt(Head::number));
        int opened = 0;
        while (!heads.isEmpty() || !later.isEmpty()) {
            Head head = heads.peek();
            LogFile first = later.peek();
            if (first != null && (head == null || first.firstMicros() <= head.dueMicros())) {
                later.remove();
                first.start(wanted, executor, threads + 1);
                add(heads, first, opened++);
            } else if (head != null) {
                heads.remove();
                drain(head, heads.peek(), first, consumer, heads);
            }
        }
    }

    /** Hands on entries of a file until another file has an earlier one. */
    private static void drain(
            Head head,
            @Nullable Head other,
            @Nullable LogFile later,
            Consumer<LogEntry> consumer,
            PriorityQueue<Head> heads) {
        long untilMicros = Math.min(
                other == null ? Long.MAX_VALUE : other.dueMicros(),
                later == null ? Long.MAX_VALUE : later.firstMicros());
        LogEntry entry = head.entry;
        do {
            consumer.accept(entry);
            entry = head.file.next();
        } while (entry != null && head.file.latestMicros() < untilMicros);
        if (entry != null) {
            heads.add(new Head(head.file, entry, head.file.latestMicros(), head.number));
        }
    }

    private static void add(PriorityQueue<Head> heads, LogFile file, int number) {
        LogEntry entry = file.next();
        if (entry != null) {
            heads.add(new Head(file, entry, file.latestMicros(), number));
        }
    }

    /** What has been read so far. */
    public LogSummary summary() {
        List<WrongLine> firstWrong = files.stream()
                .flatMap(file -> file.firstWrong.stream())
                .limit(ParsedBlock.MAX_DESCRIBED)
                .toList();
        return new LogSummary(
                files.stream()
                        .map(file -> new LogSummary.FileFormat(
                                file.name(), file.format().name()))
                        .toList(),
                files.stream().mapToLong(file -> file.lines).sum(),
                files.stream().mapToLong(file -> file.entries).sum(),
                files.stream().mapToLong(file -> file.wrong).sum(),
                firstWrong,
                files.stream().mapToLong(file -> file.backwards).sum(),
                files.stream().mapToLong(file -> file.furthestBackMicros).max().orElse(0),
                files.stream()
                        .map(file -> file.firstBackwards)
                        .filter(place -> !place.isEmpty())
                        .findFirst()
                        .orElse(""),
                files.stream().flatMap(file -> file.notes.stream()).toList());
    }

    @Override
    public void close() {
        executor.shutdownNow();
        files.forEach(LogFile::close);
    }
}
