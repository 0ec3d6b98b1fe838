package dev.sluice.simulate.suggest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Finds the smallest limits that leave a share of clients, or of their requests, untouched. All numbers are exact. Clients
 * are worked on by all processors.
 */
final class LimitFinder {
    static final List<Duration> WINDOWS = List.of(
            Duration.ofSeconds(1),
            Duration.ofSeconds(10),
            Duration.ofMinutes(1),
            Duration.ofMinutes(10),
            Duration.ofHours(1),
            Duration.ofDays(1));

    private static final int CHUNKS_PER_PROCESSOR = 4;

    private final List<ObservedClient> kept;
    private final List<ObservedClient> leftOut;
    private final SuggestOptions options;
    private final List<LogPart> parts = new ArrayList<>();
    private final List<Duration> windows;

    /**
     * A finder.
     *
     * @param kept the clients whose needs count
     * @param leftOut the other clients
     */
    LimitFinder(
            ObservedTraffic traffic, List<ObservedClient> kept, List<ObservedClient> leftOut, SuggestOptions options) {
        this.kept = kept;
        this.leftOut = leftOut;
        this.options = options;
        parts.add(LogPart.whole(traffic));
        parts.addAll(LogPart.of(traffic, options.zone()));
        this.windows = WINDOWS.stream()
                .filter(window -> window.equals(WINDOWS.get(0))
                        || traffic.spanMicros() >= Thresholds.WINDOW_IN_LOG * micros(window))
                .toList();
    }

    static long micros(Duration window) {
        return TimeUnit.MICROSECONDS.convert(window);
    }

    /**
     * The smallest limits on an scope, for each window that the log is long enough for.
     *
     * @param limits how many limits share what may be touched
     */
    List<WindowLimit> find(Scope scope, int limits) {
        Counts[][] most = most(scope);
        List<WindowLimit> found = new ArrayList<>();
        for (int w = 0; w < windows.size(); w++) {
            long permits = smallest(scope, 0, w, most, limits);
            long low = Long.MAX_VALUE;
            long high = 0;
            int compared = 0;
            for (int part = 1; part < parts.size(); part++) {
                if (parts.get(part).lengthMicros() >= Thresholds.WINDOW_IN_LOG * micros(windows.get(w))
                        && most[part][w].total() > 0) {
                    long ofPart = smallest(scope, part, w, most, limits);
                    low = Math.min(low, ofPart);
                    high = Math.max(high, ofPart);
                    compared++;
                }
            }
            long touched = most[0][w].above(permits);
            found.add(new WindowLimit(
                    windows.get(w),
                    permits,
                    compared == 0 ? permits : low,
                    compared == 0 ? permits : high,
                    compared,
                    burst(scope, windows.get(w), permits, touched),
                    effect(scope, windows.get(w), permits)));
        }
        return found;
    }

    /** How many kept clients use an endpoint. */
    long users(Scope scope) {
        return chunks(kept, clients -> {
                    Counts users = new Counts();
                    forEach(clients, scope, parts.get(0), events -> users.add(1));
                    return users;
                })
                .stream()
                .mapToLong(Counts::total)
                .sum();
    }

    /** The largest number of requests in each window, of each kept client, by part and window. */
    private Counts[][] most(Scope scope) {
        List<Counts[][]> ofChunks = chunks(kept, clients -> {
            Counts[][] most = new Counts[parts.size()][windows.size()];
            for (int part = 0; part < parts.size(); part++) {
                Counts[] ofPart = most[part];
                for (int w = 0; w < windows.size(); w++) {
                    ofPart[w] = new Counts();
                }
                forEach(clients, scope, parts.get(part), events -> {
                    for (int w = 0; w < windows.size(); w++) {
                        ofPart[w].add(SlidingCounts.most(events, micros(windows.get(w))));
                    }
                });
            }
            return most;
        });
        Counts[][] sum = ofChunks.get(0);
        for (Counts[][] chunk : ofChunks.subList(1, ofChunks.size())) {
            for (int part = 0; part < parts.size(); part++) {
                for (int w = 0; w < windows.size(); w++) {
                    sum[part][w].addAll(chunk[part][w]);
                }
            }
        }
        return sum;
    }

    private long smallest(Scope scope, int part, int w, Counts[][] most, int limits) {
        Counts counts = most[part][w];
        if (options.of() == SuggestOptions.Of.CLIENTS) {
            return counts.smallest(options.mayTouch(counts.total(), limits));
        }
        long windowMicros = micros(windows.get(w));
        long requests = sum(scope, parts.get(part), events -> (long) events.count);
        long mayDeny = options.mayTouch(requests, limits);
        long low = 1;
        long high = Math.max(1, counts.largest());
        while (low < high) { // a sliding log of more permits never denies more
            int middle = (int) ((low + high) / 2);
            long denied = sum(scope, parts.get(part), events -> SlidingCounts.denied(events, windowMicros, middle));
            if (denied <= mayDeny) {
                high = middle;
            } else {
                low = middle + 1L;
            }
        }
        return low;
    }

    private long burst(Scope scope, Duration window, long permits, long mayBeTouched) {
        Counts bursts = new Counts();
        chunks(kept, clients -> {
                    Counts ofChunk = new Counts();
                    forEach(
                            clients,
                            scope,
                            parts.get(0),
                            events -> ofChunk.add(SlidingCounts.burst(events, micros(window), (int) permits)));
                    return ofChunk;
                })
                .forEach(bursts::addAll);
        return bursts.smallest(mayBeTouched);
    }

    /** What a sliding log would have cut. */
    Effect effect(Scope scope, Duration window, long permits) {
        Effect onKept = effect(kept, false, scope, window, permits);
        return onKept.plus(effect(leftOut, true, scope, window, permits));
    }

    private Effect effect(List<ObservedClient> clients, boolean isLeftOut, Scope scope, Duration window, long permits) {
        return effect(clients, isLeftOut, scope, events -> SlidingCounts.denied(events, micros(window), (int) permits));
    }

    /** What several rules would have cut together. */
    Effect together(List<ProposedRule> rules) {
        Effect onKept = effect(kept, false, Scope.ALL, events -> JointRules.denied(rules, events));
        return onKept.plus(effect(leftOut, true, Scope.ALL, events -> JointRules.denied(rules, events)));
    }

    private Effect effect(
            List<ObservedClient> clients, boolean isLeftOut, Scope scope, Function<Events, Integer> denied) {
        return chunks(clients, chunk -> {
                    Effect[] sum = {Effect.NONE};
                    forEach(
                            chunk,
                            scope,
                            parts.get(0),
                            events -> sum[0] = sum[0].plus(Effect.of(isLeftOut, denied.apply(events))));
                    return sum[0];
                })
                .stream()
                .reduce(Effect.NONE, Effect::plus);
    }

    private long sum(Scope scope, LogPart part, Function<Events, Number> number) {
        return chunks(kept, clients -> {
                    long[] sum = {0};
                    forEach(
                            clients,
                            scope,
                            part,
                            events -> sum[0] += number.apply(events).longValue());
                    return sum[0];
                })
                .stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Hands on the requests of each client that has some on the endpoint in the part. */
    private static void forEach(List<ObservedClient> clients, Scope scope, LogPart part, Consumer<Events> consumer) {
        Events all = new Events();
        Events selected = new Events();
        for (ObservedClient client : clients) {
            client.timeline.read(all);
            all.select(scope, part.contains(), selected);
            if (selected.count > 0) {
                consumer.accept(selected);
            }
        }
    }

    /** Works on parts of the clients at the same time; large and small ones are in each. */
    static <T> List<T> chunks(List<ObservedClient> clients, Function<List<ObservedClient>, T> work) {
        int chunks = CHUNKS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
        return IntStream.range(0, chunks)
                .parallel()
                .mapToObj(chunk -> {
                    List<ObservedClient> some = new ArrayList<>();
                    for (int i = chunk; i < clients.size(); i += chunks) {
                        some.add(clients.get(i));
                    }
                    return work.apply(some);
                })
                .toList();
    }
}
