package dev.sluice;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Writes a limit as a rule file has it. */
enum LimitText implements Limit.Cases<String> {
    INSTANCE;

    @Override
    public String fixedWindow(Limit.FixedWindow limit) {
        if (limit.alignment() instanceof Limit.Alignment.Calendar calendar) {
            boolean fixedLength = calendar.unit().compareTo(ChronoUnit.WEEKS) <= 0;
            String period = fixedLength ? Durations.text(limit.period()) : Durations.word(calendar.unit());
            return rate(limit, period) + " aligned=" + calendar.zone();
        }
        boolean epoch = limit.alignment() instanceof Limit.Alignment.Epoch;
        return rate(limit, limit.period()) + (epoch ? " aligned=epoch" : "");
    }

    @Override
    public String slidingWindow(Limit.SlidingWindow limit) {
        boolean weighted = limit.counting() == Limit.SlidingWindow.Counting.WEIGHTED;
        return rate(limit, limit.period()) + " slices=" + limit.slices() + (weighted ? " weighted" : "");
    }

    @Override
    public String slidingLog(Limit.SlidingLog limit) {
        return rate(limit, limit.period());
    }

    @Override
    public String tokenBucket(Limit.TokenBucket limit) {
        return rate(limit, limit.period()) + " burst=" + limit.burst();
    }

    @Override
    public String leakyBucket(Limit.LeakyBucket limit) {
        return rate(limit, limit.period()) + " capacity=" + limit.capacity() + (limit.delays() ? " queue" : "");
    }

    @Override
    public String concurrency(Limit.Concurrency limit) {
        return limit.permits() + " at once";
    }

    private static String rate(Limit limit, Duration period) {
        return rate(limit, Durations.text(period));
    }

    private static String rate(Limit limit, String period) {
        return limit.permits() + " per " + period + " " + limit.algorithm();
    }
}
