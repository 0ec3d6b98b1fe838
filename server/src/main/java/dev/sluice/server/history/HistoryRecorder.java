package dev.sluice.server.history;

import dev.sluice.Decision;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads counters once a second and adds what they counted to the {@link History}, and to that of the other servers.
 *
 * <p>A check pays nothing for it: the counters are those that the metrics have.
 *
 * <p>Why there are two threads: one reads the counters, and must not be late; the other talks to Redis, which may take
 * as long as it likes. Why in the middle of a second: so the second is the same on every server, although their timers
 * are late by some milliseconds.
 */
public final class HistoryRecorder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HistoryRecorder.class.getName());
    private static final long SECOND = 1000;
    private static final long MIDDLE = 500;
    private static final long SAMPLE_MILLIS = 100;
    private static final int MAX_FILLED = 60;
    private static final int MINUTE = 60;
    private static final int HOUR = 60;
    /** A server that was not heard of for so many seconds is taken to be gone. */
    private static final long GONE = 5;
    /** The seconds that the counts of other servers may take to arrive here. */
    private static final long LAG = 2;

    private final Counted counted;
    private final LongSupplier underWay;
    private final Decision.Source usual;
    private final InstantSource clock;
    private final History history;
    private final KeyWatch keys;
    private final String id = Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), Character.MAX_RADIX);
    private final @Nullable HistorySharing sharing;
    private final Differences differences = new Differences();
    private final AtomicLong mostUnderWay = new AtomicLong();
    private final ScheduledExecutorService ticks = thread("sluice-history");
    private final ScheduledExecutorService exchanges = thread("sluice-history-sharing");
    private final long since;

    // What only the thread of the ticks uses
    private List<String> names = List.of();
    private Map<String, Integer> rows = Map.of();
    private Differences.Change minuteCounts = empty();
    private long minute;
    private long lastSecond;

    /**
     * Reads {@code counted} from now on.
     *
     * @param underWay how many requests are under way
     * @param usual the source of decisions that {@code counted} does not count by source
     */
    public HistoryRecorder(
            Counted counted, LongSupplier underWay, Decision.Source usual, KeyWatch keys, HistorySettings settings) {
        this(counted, underWay, usual, keys, InstantSource.system(), id -> {
            String url = settings.redis();
            return url == null ? null : new RedisHistory(url, settings.prefix(), id);
        });
    }

    HistoryRecorder(
            Counted counted,
            LongSupplier underWay,
            Decision.Source usual,
            KeyWatch keys,
            InstantSource clock,
            Function<String, @Nullable SharedHistory> shared) {
        this.counted = counted;
        this.underWay = underWay;
        this.usual = usual;
        this.keys = keys;
        this.clock = clock;
        this.since = Math.floorDiv(clock.millis(), SECOND);
        this.history = new History(since);
        this.lastSecond = since - 1;
        this.minute = Math.floorDiv(since, MINUTE);
        SharedHistory others = shared.apply(id);
        this.sharing = others == null ? null : new HistorySharing(others, history, clock);
        differences.read(counted);
    }

    private static ScheduledExecutorService thread(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    private static Differences.Change empty() {
        return new Differences.Change(new LinkedHashMap<>(), new LinkedHashMap<>());
    }

    /** Begins to read, every second. */
    public HistoryRecorder begin() {
        ticks.scheduleAtFixedRate(() -> guarded(this::sample), SAMPLE_MILLIS, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
        scheduleTick();
        exchanges.scheduleWithFixedDelay(() -> guarded(this::exchange), 0, SECOND, TimeUnit.MILLISECONDS);
        return this;
    }

    private void scheduleTick() {
        long wait = SECOND - Math.floorMod(nowMillis() - MIDDLE, SECOND);
        try {
            ticks.schedule(
                    () -> {
                        guarded(this::tick);
                        scheduleTick();
                    },
                    wait,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            LOG.log(System.Logger.Level.DEBUG, "the history ends");
        }
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the history has a gap", e);
        }
    }

    private void sample() {
        mostUnderWay.accumulateAndGet(underWay.getAsLong(), Math::max);
    }

    // ---- Every second

    /** Adds what was counted since the last tick, as that of the second before this one. */
    void tick() {
        sample();
        keys.isWatched();
        Differences.Change raw = differences.read(counted);
        Differences.Change counts = SecondCounts.of(raw, usual, mostUnderWay.getAndSet(0));
        number(differences.names());
        long now = Math.floorDiv(nowMillis(), SECOND);
        long second = now - 1;
        boolean late = second - lastSecond <= MAX_FILLED; // and not on another clock
        for (long skipped = lastSecond + 1; late && skipped < second; skipped++) {
            add(skipped, empty(), now);
        }
        add(second, counts, now);
        lastSecond = second;
        history.last(second);
    }

    private void add(long second, Differences.Change counts, long now) {
        long next = Math.floorDiv(second, MINUTE);
        if (next != minute) {
            endMinute(now);
            minute = next;
        }
        counts.rows().forEach((row, values) -> {
            if (row != Row.UNDER_WAY) { // the largest of a minute would not be the sum
                minuteCounts.rows().merge(row, values, Slot::sum);
            }
        });
        counts.rules().forEach((rule, values) -> minuteCounts.rules().merge(rule, values, Slot::sum));
        add(SharedSlot.of(SharedSlot.Span.SECOND, second, names, rows, counts), now);
    }

    private void endMinute(long now) {
        SharedSlot slot = SharedSlot.of(SharedSlot.Span.MINUTE, minute, names, rows, minuteCounts);
        add(slot, now);
        history.addToHour(Math.floorDiv(minute, HOUR), slot.service(Row.GOOD), slot.service(Row.BAD));
        minuteCounts = empty();
    }

    private void add(SharedSlot slot, long now) {
        history.add(slot, now);
        if (sharing != null) {
            sharing.offer(slot);
        }
    }

    /** Numbers the rules, anew if they are others. A rule that is gone keeps its number until its minute is over. */
    private void number(List<String> now) {
        if (!now.equals(names)) {
            List<String> all = new ArrayList<>(now);
            minuteCounts.rules().keySet().stream()
                    .filter(rule -> !now.contains(rule))
                    .forEach(all::add);
            Map<String, Integer> numbers = new HashMap<>();
            for (int i = 0; i < all.size(); i++) {
                numbers.put(all.get(i), Row.FIRST_RULE + i);
            }
            names = List.copyOf(all);
            rows = numbers;
        }
    }

    /** Tells the other servers, and listens to them. */
    void exchange() {
        if (sharing != null) {
            sharing.exchange(self());
            if (sharing.others().stream().anyMatch(server -> server.isWatching() && isHere(server))) {
                keys.watchFor();
            }
        }
    }

    private FleetServer self() {
        int max = FleetServer.MAX_KEYS;
        return new FleetServer(id, since, now(), keys.isWatchedHere(), keys.hot(max), keys.denied(max));
    }

    private long nowMillis() {
        return clock.millis() + (sharing == null ? 0 : sharing.offsetMillis());
    }

    // ---- Reading

    public History history() {
        return history;
    }

    /** The second up to which the counts of all servers are there. */
    public long settled() {
        return history.last() - (sharing == null ? 0 : LAG);
    }

    /** Now, in seconds since 1970, by the clock that the servers share. */
    public long now() {
        return Math.floorDiv(nowMillis(), SECOND);
    }

    /** Whether the other servers can be reached, if there may be any. */
    public boolean isSharingReachable() {
        return sharing == null || sharing.isReachable();
    }

    /** This server and, after it, the others of the last 15 minutes. */
    public List<FleetServer> servers() {
        List<FleetServer> all = new ArrayList<>();
        all.add(self());
        if (sharing != null) {
            all.addAll(sharing.others());
        }
        return all;
    }

    /** Whether a server was heard of a moment ago. */
    public boolean isHere(FleetServer server) {
        return server.seen() > now() - GONE;
    }

    /** The hot keys of all servers that are here. */
    public List<KeyWatch.Key> hotKeys() {
        keys.watch();
        return merged(FleetServer::hot);
    }

    /** The keys that were denied most, by all servers that are here. */
    public List<KeyWatch.Key> deniedKeys() {
        return merged(FleetServer::denied);
    }

    private List<KeyWatch.Key> merged(Function<FleetServer, List<KeyWatch.Key>> kind) {
        Map<List<String>, KeyWatch.Key> all = new LinkedHashMap<>();
        for (FleetServer server : servers()) {
            if (isHere(server)) {
                kind.apply(server).forEach(key -> all.merge(List.of(key.rule(), key.key()), key, KeyWatch.Key::plus));
            }
        }
        return all.values().stream()
                .sorted(Comparator.comparingLong(KeyWatch.Key::atLeast)
                        .thenComparingLong(KeyWatch.Key::atMost)
                        .reversed())
                .limit(FleetServer.MAX_KEYS)
                .toList();
    }

    /** Sends the minute that is not over, and ends. */
    @Override
    public void close() {
        ticks.shutdownNow();
        exchanges.shutdownNow();
        if (sharing != null) {
            try {
                boolean ended =
                        ticks.awaitTermination(1, TimeUnit.SECONDS) && exchanges.awaitTermination(1, TimeUnit.SECONDS);
                if (ended && sharing.isReachable()) {
                    guarded(() -> {
                        tick();
                        endMinute(now());
                        exchange();
                    });
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            sharing.close();
        }
    }
}
