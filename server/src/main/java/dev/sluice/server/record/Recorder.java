package dev.sluice.server.record;

import dev.sluice.Ticker;
import dev.sluice.rules.Request;
import io.netty.util.concurrent.FastThreadLocal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the attributes of the requests that came last, within bytes and a time, so that rules can be tried on them.
 *
 * <p><b>How is it designed, and why?</b> Each event loop writes lines into a {@link Segment} of its own, so that loops
 * share nothing on the way of a check. When a segment is full, its loop takes another and drops the one that was filled
 * first of all: this happens once in hundreds of requests, and takes no lock either. So a loop that gets most of the
 * requests gets most of the memory. What other loops have from the same time as the dropped one is not read: a recording
 * is complete from {@linkplain #completeAfter a time} on.
 *
 * <p>A request is recorded when it comes, before it is decided: a replay has to make it wait again, from that time on. Times
 * are those of the clock that the limiters have, which never steps. The wall clock is asked once, when somebody reads.
 *
 * <p>Readers hold back nothing. One that is slower than the server records loses its place, and is told so.
 */
public final class Recorder {
    private static final int MAX_SEGMENT = 64 << 10;
    private static final int MIN_SEGMENT = 4 << 10;
    private static final int MIN_SEGMENTS_OF_RING = 8;

    private final RecorderSettings settings;
    private final Ticker ticker;
    private final InstantSource wallClock;
    private final ClientHash hash;
    private final long maxAgeMicros;
    private final int segmentBytes;
    private final int maxSegments;

    /** The segments that are full, the one that was filled first in front. */
    private final Queue<Segment> full = new ConcurrentLinkedQueue<>();

    private final List<Ring> rings = new CopyOnWriteArrayList<>();

    private final AtomicInteger segmentCount = new AtomicInteger();
    private final AtomicLong completeAfter = new AtomicLong(Long.MIN_VALUE);
    private final LongAdder records = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final FastThreadLocal<Ring> ring = new FastThreadLocal<>() {
        @Override
        protected Ring initialValue() {
            Ring created = new Ring();
            rings.add(created);
            return created;
        }
    };

    /** What one thread writes with. */
    private final class Ring {
        final LineEncoder lines = new LineEncoder(settings.attributes(), settings.hashed(), hash);
        /** The segment that it writes to. */
        volatile @Nullable Segment current;

        private long lastMicros = Long.MIN_VALUE;

        void add(Request request) {
            lines.encode(request);
            if (lines.length > segmentBytes - Segment.HEAD) {
                dropped.increment();
                return;
            }
            long micros = Math.max(lastMicros, nowMicros());
            Segment into = current;
            if (into == null || !into.append(micros, lines.bytes, lines.length)) {
                Segment next = new Segment(this, micros, segmentBytes);
                next.append(micros, lines.bytes, lines.length);
                replace(into, next);
            }
            lastMicros = micros;
            records.increment();
        }

        /** Goes on with another segment. */
        private void replace(@Nullable Segment before, Segment next) {
            if (before != null) {
                full.add(before);
            }
            current = next;
            Segment oldest = segmentCount.incrementAndGet() > maxSegments ? full.poll() : null;
            if (oldest != null) {
                drop(oldest);
            }
        }
    }

    /** With the clock of the server's limiters, for so many threads that write. */
    public Recorder(RecorderSettings settings, Ticker ticker, InstantSource wallClock, int threads) {
        this.settings = settings;
        this.ticker = ticker;
        this.wallClock = wallClock;
        this.hash = new ClientHash(settings.key(), settings.shareMillionths());
        this.maxAgeMicros = TimeUnit.MICROSECONDS.convert(settings.maxAge());
        long ofRing = settings.maxBytes() / threads / MIN_SEGMENTS_OF_RING;
        this.segmentBytes = (int) Math.max(MIN_SEGMENT, Math.min(MAX_SEGMENT, ofRing));
        this.maxSegments = (int) Math.min(Integer.MAX_VALUE, settings.maxBytes() / segmentBytes);
    }

    public RecorderSettings settings() {
        return settings;
    }

    private long nowMicros() {
        return Math.floorDiv(ticker.nanos(), 1000L);
    }

    /** Records a request that came now, if its client is in the sample and it asks for permits. Never blocks. */
    public void record(Request request) {
        if (request.cost() > 0 && hash.isSampled(request)) {
            ring.get().add(request);
        }
    }

    /** Drops what nobody can read any more. */
    private void expire(long nowMicros) {
        long before = nowMicros - maxAgeMicros;
        for (Segment head = full.peek();
                head != null && head.lastMicros() < before && full.remove(head);
                head = full.peek()) {
            drop(head);
        }
    }

    private void drop(Segment segment) {
        segmentCount.decrementAndGet();
        completeAfter.accumulateAndGet(segment.lastMicros(), Math::max);
        segment.drop();
    }

    /** No record after this time has been dropped. */
    long completeAfter() {
        return completeAfter.get();
    }

    /**
     * The requests of the last so long, as lines of JSON in the order of their times, as far as they are recorded
     * completely. It ends with the requests that have come by now.
     */
    public RecordedLines last(Duration duration) {
        long now = nowMicros();
        expire(now);
        long wall = ChronoUnit.MICROS.between(Instant.EPOCH, wallClock.instant());
        long back = duration.compareTo(settings.maxAge()) < 0 ? TimeUnit.MICROSECONDS.convert(duration) : maxAgeMicros;
        return new RecordedLines(this, segments(), now - back, now, wall - now);
    }

    /** All segments, those of a ring in order. A segment that becomes full meanwhile is seen as one or the other. */
    private Collection<Segment> segments() {
        List<Segment> written = rings.stream()
                .map(each -> each.current)
                .filter(Objects::nonNull)
                .toList();
        Set<Segment> all = new LinkedHashSet<>(full);
        all.addAll(written);
        return all;
    }

    // ---- For the metrics

    /** How many requests were recorded. */
    public long records() {
        return records.sum();
    }

    /** How many requests were not recorded because they were too large. */
    public long dropped() {
        return dropped.sum();
    }

    /** How many bytes of memory the recording takes. */
    public long bytes() {
        return (long) segmentBytes * segmentCount.get();
    }

    /** The largest number of bytes that it may take. */
    public long maxBytes() {
        return (long) segmentBytes * maxSegments;
    }

    /** How far back the recording goes. */
    public Duration reach() {
        long now = nowMicros();
        long oldest = segments().stream()
                .mapToLong(segment -> segment.firstMicros)
                .min()
                .orElse(now);
        long from = Math.max(Math.max(oldest, completeAfter.get()), now - maxAgeMicros);
        return Duration.of(Math.max(0, now - from), ChronoUnit.MICROS);
    }
}
