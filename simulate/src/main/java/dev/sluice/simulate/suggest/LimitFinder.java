package dev.sluice.simulate.suggest;

import dev.sluice.simulate.suggest.traffic.Events;
import dev.sluice.simulate.suggest.traffic.ObservedClient;
import dev.sluice.simulate.suggest.traffic.ObservedTraffic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

    private final List<ObservedClient> kept;
    private final List<ObservedClient> leftOut;
    private final SuggestOptions options;
    private final List<LogPart> parts = new ArrayList<>();
    private final List<Duration> windows;
    private final Map<Scope, ClientNeeds> needs = new HashMap<>();

    /** Takes the requests of a client of a list. */
    interface ClientConsumer {
        void accept(int client, Events events);
    }

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

    /** What the kept clients need on a scope. It is found once, since that takes a look at every request. */
    private ClientNeeds needs(Scope scope) {
        return needs.computeIfAbsent(
                scope,
                unseen -> ClientNeeds.of(
                        kept,
                        scope,
                        parts,
                        windows.stream().mapToLong(LimitFinder::micros).toArray()));
    }

    /**
     * The smallest limits on an scope, for each window that the log is long enough for.
     *
     * @param limits how many limits share what may be touched
     */
    List<WindowLimit> find(Scope scope, int limits) {
        ClientNeeds found = needs(scope);
        long[] permits = IntStream.range(0, windows.size())
                .mapToLong(w -> smallest(scope, 0, w, limits))
                .toArray();
        Counts[] bursts = bursts(scope, permits);
        List<WindowLimit> smallest = new ArrayList<>();
        for (int w = 0; w < windows.size(); w++) {
            long low = Long.MAX_VALUE;
            long high = 0;
            int compared = 0;
            for (int part = 1; part < parts.size(); part++) {
                if (parts.get(part).lengthMicros() >= Thresholds.WINDOW_IN_LOG * micros(windows.get(w))
                        && found.counts(part, w).total() > 0) {
                    long ofPart = smallest(scope, part, w, limits);
                    low = Math.min(low, ofPart);
                    high = Math.max(high, ofPart);
                    compared++;
                }
            }
            long touched = found.counts(0, w).above(permits[w]);
            smallest.add(new WindowLimit(
                    windows.get(w),
                    permits[w],
                    compared == 0 ? permits[w] : low,
                    compared == 0 ? permits[w] : high,
                    compared,
                    bursts[w].smallest(touched),
                    effect(scope, windows.get(w), permits[w])));
        }
        return smallest;
    }

    /** How many kept clients use an endpoint. */
    long users(Scope scope) {
        return needs(scope).counts(0, 0).total();
    }

    private long smallest(Scope scope, int part, int w, int limits) {
        ClientNeeds found = needs(scope);
        Counts counts = found.counts(part, w);
        if (options.of() == SuggestOptions.Of.CLIENTS) {
            return counts.smallest(options.mayTouch(counts.total(), limits));
        }
        long mayDeny = options.mayTouch(found.requests(part), limits);
        long low = 1;
        long high = Math.max(1, counts.largest());
        while (low < high) { // a sliding log of more permits never denies more
            int middle = (int) ((low + high) / 2);
            if (denied(scope, part, w, middle) <= mayDeny) {
                high = middle;
            } else {
                low = middle + 1L;
            }
        }
        return low;
    }

    /** How many requests of kept clients a sliding log denies in a part of the log. */
    private long denied(Scope scope, int part, int w, int permits) {
        ClientNeeds found = needs(scope);
        return Chunk.each(kept.size(), chunk -> {
                    long[] sum = {0};
                    Events buffer = new Events();
                    forEach(
                            kept,
                            chunk,
                            scope,
                            client -> found.of(client, w) > permits,
                            (client, events) -> sum[0] += SlidingCounts.denied(
                                    parts.get(part).of(events, buffer), micros(windows.get(w)), permits));
                    return sum[0];
                })
                .stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** The smallest token buckets of the kept clients, which refill by so many permits in each window. */
    private Counts[] bursts(Scope scope, long[] permits) {
        Counts[] bursts = Stream.generate(Counts::new).limit(permits.length).toArray(Counts[]::new);
        for (Counts[] ofChunk : Chunk.each(kept.size(), chunk -> bursts(scope, permits, chunk))) {
            for (int w = 0; w < permits.length; w++) {
                bursts[w].addAll(ofChunk[w]);
            }
        }
        return bursts;
    }

    private Counts[] bursts(Scope scope, long[] permits, Chunk chunk) {
        Counts[] bursts = Stream.generate(Counts::new).limit(permits.length).toArray(Counts[]::new);
        forEach(kept, chunk, scope, each -> true, (client, events) -> {
            for (int w = 0; w < permits.length; w++) {
                bursts[w].add(SlidingCounts.burst(events, micros(windows.get(w)), (int) permits[w]));
            }
        });
        return bursts;
    }

    /** What a sliding log would have cut. */
    Effect effect(Scope scope, Duration window, long permits) {
        ClientNeeds found = needs(scope);
        int w = windows.indexOf(window);
        return effect(
                scope,
                client -> found.of(client, w) > permits,
                events -> SlidingCounts.denied(events, micros(window), (int) permits));
    }

    /** What several rules would have cut together. */
    Effect together(List<ProposedRule> rules) {
        IntPredicate touched = client -> false; // if no rule denies a client anything, all together do not either
        for (ProposedRule rule : rules) {
            ClientNeeds found = needs(rule.scope());
            int w = windows.indexOf(rule.window());
            touched = touched.or(client -> found.of(client, w) > rule.permits());
        }
        return effect(Scope.ALL, touched, events -> JointRules.denied(rules, events));
    }

    private Effect effect(Scope scope, IntPredicate touched, ToIntFunction<Events> denied) {
        Effect onKept = effect(kept, false, scope, touched, denied);
        return onKept.plus(effect(leftOut, true, scope, each -> true, denied));
    }

    private static Effect effect(
            List<ObservedClient> clients,
            boolean isLeftOut,
            Scope scope,
            IntPredicate touched,
            ToIntFunction<Events> denied) {
        return Chunk.each(clients.size(), chunk -> {
                    Effect[] sum = {Effect.NONE};
                    forEach(
                            clients,
                            chunk,
                            scope,
                            touched,
                            (client, events) -> sum[0] = sum[0].plus(Effect.of(isLeftOut, denied.applyAsInt(events))));
                    return sum[0];
                })
                .stream()
                .reduce(Effect.NONE, Effect::plus);
    }

    /** Hands on the requests of each client of a chunk that is wanted and has some on the scope. */
    static void forEach(
            List<ObservedClient> clients, Chunk chunk, Scope scope, IntPredicate wanted, ClientConsumer consumer) {
        Events all = new Events();
        Events buffer = new Events();
        chunk.forEach(client -> {
            if (wanted.test(client)) {
                clients.get(client).read(all);
                Events events = scope.of(all, buffer);
                if (events.count() > 0) {
                    consumer.accept(client, events);
                }
            }
        });
    }
}
