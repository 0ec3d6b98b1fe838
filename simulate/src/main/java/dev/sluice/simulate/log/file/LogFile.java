package dev.sluice.simulate.log.file;

import dev.sluice.simulate.log.LogAttributes;
import dev.sluice.simulate.log.LogEntry;
import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.LogOptions;
import dev.sluice.simulate.log.WrongLine;
import dev.sluice.simulate.log.format.LineReader;
import dev.sluice.simulate.log.format.LogFormat;
import dev.sluice.simulate.log.format.Sample;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One log, entry by entry. Blocks are read one after another and parsed by other threads, a few ahead of the entry that
 * is asked for; everything else is for one thread.
 */
final class LogFile implements AutoCloseable {
    /** From this many lines on a file of which none is right is given up. */
    private static final int HOPELESS_LINES = 1000;

    private final String name;
    private final LogOptions options;
    private final int blockSize;
    private final long sizeBytes;
    private final AtomicLong bytesRead = new AtomicLong();
    private final LogFormat format;
    private final Sample sample;
    private final List<String> attributes;
    private final long firstMicros;

    private @Nullable InputStream in;
    private @Nullable BlockReader reader;
    /** The first block of what cannot be read again. */
    private @Nullable Block firstBlock;

    private final ArrayDeque<CompletableFuture<@Nullable ParsedBlock>> ahead = new ArrayDeque<>();
    private CompletableFuture<@Nullable Block> lastRead = CompletableFuture.completedFuture(null);
    private boolean readToEnd;
    private Runnable refill = () -> {};
    /** Readers of lines, each with what it fills; one thread uses one at a time. */
    private final Queue<LineReader> readers = new ConcurrentLinkedQueue<>();

    private @Nullable ParsedBlock current;
    private int index;
    /** The number of lines before the current block. */
    private long linesBefore;

    private long latestMicros = Long.MIN_VALUE;

    // What was found.
    long lines;
    long entries;
    long wrong;
    long backwards;
    long furthestBackMicros;
    String firstBackwards = "";
    final List<WrongLine> firstWrong = new ArrayList<>();
    final List<String> notes = new ArrayList<>();

    /**
     * Looks at the start of a log.
     *
     * @throws LogException if it cannot be read or has no known format
     */
    LogFile(String name, LogOptions options, int blockSize) {
        this.name = name;
        this.blockSize = blockSize;
        this.options = options;
        this.sizeBytes = LogInput.size(name, options.streams());
        boolean once = LogInput.isStream(name, options.streams());
        InputStream opened = LogInput.open(name, options.streams(), once ? bytesRead : new AtomicLong());
        BlockReader start = new BlockReader(opened, blockSize);
        Block block = start.read();
        this.sample = block.sample(name);
        if (once) {
            in = opened;
            reader = start;
            firstBlock = block;
        } else {
            close(opened);
        }
        this.format = format(block);
        this.attributes = sample.lines().isEmpty() ? List.of() : format.attributes(sample);
        this.firstMicros = sample.lines().isEmpty() ? Long.MIN_VALUE : firstMicros(format, sample, options);
        if (sample.lines().isEmpty() && block.last() && block.failure() == null) {
            notes.add(name + " is empty");
        }
    }

    private LogFormat format(Block block) {
        String given = options.format();
        if (given != null) {
            return LogFormat.parse(given, options.map());
        }
        if (sample.lines().isEmpty() && block.overlongBytes() > 0) {
            throw new LogException(name + ":1: the first line has " + block.overlongBytes()
                    + " bytes; a log of such lines cannot be read");
        }
        return LogFormat.detect(sample, options.map());
    }

    String name() {
        return name;
    }

    /** How many bytes of the file have been read, compressed if it is. Any thread may ask. */
    long bytesRead() {
        return bytesRead.get();
    }

    /** Whether it can be read once only. */
    boolean isStream() {
        return LogInput.isStream(name, options.streams());
    }

    /** How many bytes the file had at first; 0 if that is not known. */
    long sizeBytes() {
        return sizeBytes;
    }

    LogFormat format() {
        return format;
    }

    /** The attributes that its entries can have. */
    List<String> attributes() {
        return attributes;
    }

    boolean isEmpty() {
        return sample.lines().isEmpty();
    }

    /** The time of the first entry; the smallest number if none is near the start. */
    long firstMicros() {
        return firstMicros;
    }

    private static long firstMicros(LogFormat format, Sample sample, LogOptions options) {
        LineReader reader = format.reader(sample, LogAttributes.of(), options.zone());
        for (int i = format.headerLines(); i < sample.lines().size(); i++) {
            Sample.Line line = sample.lines().get(i);
            LogEntry entry = reader.read(sample.bytes(), line.from(), line.to());
            if (entry != null) {
                return entry.timeMicros();
            }
        }
        return Long.MIN_VALUE;
    }

    /** Starts to read entries with these attributes. */
    void start(LogAttributes wanted, Executor executor, int blocksAhead) {
        if (in == null) {
            in = LogInput.open(name, options.streams(), bytesRead);
            reader = new BlockReader(in, blockSize);
        }
        for (int i = 0; i < blocksAhead; i++) {
            readAhead(wanted, executor, i == 0);
        }
        refill = () -> readAhead(wanted, executor, false);
        current = joined(ahead.remove());
        refill.run();
    }

    private void readAhead(LogAttributes wanted, Executor executor, boolean first) {
        lastRead = lastRead.thenApplyAsync(this::readBlock, executor);
        ahead.add(lastRead.thenApplyAsync(block -> parse(block, first, wanted), executor));
    }

    /** The next block; null after the last. */
    private @Nullable Block readBlock(@Nullable Block before) {
        Block kept = firstBlock;
        firstBlock = null;
        BlockReader from = reader;
        if (readToEnd || from == null) {
            return null;
        }
        Block block = kept == null ? from.read() : kept;
        readToEnd = block.last();
        return block;
    }

    private @Nullable ParsedBlock parse(@Nullable Block block, boolean first, LogAttributes wanted) {
        if (block == null) {
            return null;
        }
        LineReader free = readers.poll();
        LineReader lineReader = free == null ? format.reader(sample, wanted, options.zone()) : free;
        ParsedBlock parsed = ParsedBlock.of(block, first ? format.headerLines() : 0, lineReader);
        readers.add(lineReader);
        return parsed;
    }

    /** The next entry; null if there is none. */
    @Nullable
    LogEntry next() {
        while (true) {
            ParsedBlock block = current;
            if (block == null) {
                return null;
            }
            if (index < block.count) {
                LogEntry entry = block.entries[index++];
                note(entry, block);
                return entry;
            }
            finish(block);
        }
    }

    private void note(LogEntry entry, ParsedBlock block) {
        entries++;
        if (entry.timeMicros() >= latestMicros) {
            latestMicros = entry.timeMicros();
            return;
        }
        backwards++;
        furthestBackMicros = Math.max(furthestBackMicros, latestMicros - entry.timeMicros());
        if (firstBackwards.isEmpty()) {
            firstBackwards = name + ":" + (linesBefore + block.lines[index - 1]);
        }
    }

    /** The latest time of an entry that was returned. */
    long latestMicros() {
        return latestMicros;
    }

    private void finish(ParsedBlock block) {
        for (ParsedBlock.Wrong each : block.described) {
            if (firstWrong.size() < ParsedBlock.MAX_DESCRIBED) {
                firstWrong.add(new WrongLine(name, linesBefore + each.line(), each.reason()));
            }
        }
        wrong += block.wrong;
        lines += block.lineCount - block.empty;
        linesBefore += block.lineCount;
        index = 0;
        if (block.last) {
            current = null;
            ended(block);
            return;
        }
        if (entries == 0 && lines >= HOPELESS_LINES) {
            throw new LogException("none of the first " + lines + " lines of " + name + " is in the format " + format
                    + "; " + firstWrong.get(0));
        }
        current = joined(ahead.remove());
        refill.run();
    }

    private static @Nullable ParsedBlock joined(CompletableFuture<@Nullable ParsedBlock> parsed) {
        try {
            return parsed.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void ended(ParsedBlock block) {
        if (block.failure != null) {
            notes.add(name + " could not be read to its end, what was read before line " + (linesBefore + 1)
                    + " counts: " + block.failure);
        } else if (bytesRead.get() < sizeBytes) {
            notes.add(name + " became shorter while it was read: of " + sizeBytes + " bytes only " + bytesRead.get()
                    + " were there");
        }
        close();
        if (2 * wrong > lines) {
            throw new LogException(wrong + " of " + lines + " lines of " + name + " are not in the format " + format
                    + "; " + firstWrong.get(0));
        }
    }

    @Override
    public void close() {
        InputStream opened = in;
        in = null;
        if (opened != null) {
            close(opened);
        }
    }

    private static void close(InputStream opened) {
        try {
            opened.close();
        } catch (IOException e) {
            // nothing more is read from it
        }
    }
}
