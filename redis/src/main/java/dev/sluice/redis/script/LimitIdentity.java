package dev.sluice.redis.script;

import dev.sluice.Durations;
import dev.sluice.Limit;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What the name of a key in Redis says about the limit whose state it holds.
 *
 * <pre>
 *   2T1m            layout of the state, algorithm, period
 *   2T1m.1          the second token bucket per minute of one limiter
 *   1Dday@Asia/Tokyo  a window by the calendar: its unit and its zone
 *   1C              a concurrency limit has no period
 * </pre>
 *
 * <p>Why it is a function of the limit: while a fleet rolls from one set of limits to another, both versions must find the
 * counts of a limit that both have, wherever it stands in their lists and whatever stands beside it. Limits of another
 * algorithm or period have other names, so that two versions never read each other's numbers as their own.
 *
 * <p>Why the number of permits is not part of it: a state continues under another number of permits, another size of a
 * bucket or another number of slices. So it stays counted, and both versions together admit no more than the larger one.
 * Only limits of one limiter that agree in algorithm and period need a number, which follows the order of their permits.
 */
final class LimitIdentity implements Limit.Cases<String> {
    /** Changes whenever a state is written in another way, so that no version reads what it does not understand. */
    private static final int LAYOUT = 1;
    /** The same of a bucket. */
    private static final int BUCKET_LAYOUT = 2;

    private static final LimitIdentity INSTANCE = new LimitIdentity();

    private LimitIdentity() {}

    /** The identities of the limits of one limiter, no two alike. */
    static List<String> of(List<Limit> limits) {
        Map<Integer, String> identities = new TreeMap<>();
        Map<String, Integer> seen = new HashMap<>();
        IntStream.range(0, limits.size())
                .boxed()
                .sorted(Comparator.comparing((Integer i) -> limits.get(i).capacity())
                        .thenComparing(i -> limits.get(i).text()))
                .forEach(i -> {
                    String identity = limits.get(i).accept(INSTANCE);
                    int before = seen.merge(identity, 1, Integer::sum) - 1;
                    identities.put(i, before == 0 ? identity : identity + "." + before);
                });
        return List.copyOf(identities.values());
    }

    @Override
    public String fixedWindow(Limit.FixedWindow limit) {
        if (limit.alignment() instanceof Limit.Alignment.Calendar calendar) {
            String unit = Durations.word(calendar.unit());
            return LAYOUT + "D" + unit + "@" + KeyNames.escaped(calendar.zone().getId());
        }
        return LAYOUT + (limit.alignment() instanceof Limit.Alignment.Epoch ? "A" : "F") + text(limit.period());
    }

    @Override
    public String slidingWindow(Limit.SlidingWindow limit) {
        return LAYOUT + "W" + text(limit.period());
    }

    @Override
    public String slidingLog(Limit.SlidingLog limit) {
        return LAYOUT + "L" + text(limit.period());
    }

    @Override
    public String tokenBucket(Limit.TokenBucket limit) {
        return BUCKET_LAYOUT + "T" + text(limit.period());
    }

    @Override
    public String leakyBucket(Limit.LeakyBucket limit) {
        return BUCKET_LAYOUT + (limit.delays() ? "Q" : "M") + text(limit.period());
    }

    @Override
    public String concurrency(Limit.Concurrency limit) {
        return LAYOUT + "C";
    }

    private static String text(Duration period) {
        return Durations.text(period);
    }
}
