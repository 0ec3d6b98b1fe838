package dev.sluice.contract;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Where a law tries things out: any number of limiters, each taken through the same trace as far as is wanted. */
final class Lab {
    private static final int SAMPLE = 3;

    private final Subject subject;
    private final LimitFamily family;
    private final Trace trace;
    private final Tally tally;
    private final boolean thorough;

    Lab(Subject subject, LimitFamily family, Trace trace, Tally tally, boolean thorough) {
        this.subject = subject;
        this.family = family;
        this.trace = trace;
        this.tally = tally;
        this.thorough = thorough;
    }

    Trace trace() {
        return trace;
    }

    List<Limit> limits() {
        return trace.limits();
    }

    List<Step> steps() {
        return trace.steps();
    }

    boolean holdsPermits() {
        return family.holdsPermits();
    }

    /** A limiter after the first {@code count} steps. */
    Execution after(int count) {
        Execution execution = fresh(trace.startMicros());
        execution.perform(steps().subList(0, count));
        return execution;
    }

    Execution afterAll() {
        return after(steps().size());
    }

    /** A limiter that nothing has been asked of. */
    Execution fresh(long startMicros) {
        return new Execution(subject, limits(), startMicros, tally);
    }

    /** A limiter of another make that nothing has been asked of. */
    Execution fresh(Subject other) {
        return new Execution(other, limits(), trace.startMicros(), tally);
    }

    /** A limiter of another make, after all steps. */
    Execution afterAll(Subject other) {
        Execution execution = fresh(other);
        execution.perform(steps());
        return execution;
    }

    /**
     * A limiter in this JVM of which only those permits were asked that were kept, and held no longer than they were: the
     * history without what was refunded. A clock that steps back is one that stands still, also after what was refunded.
     */
    Execution without(List<Grant> grants, long nowMicros) {
        Execution replay = new Execution(Limiter::local, limits(), trace.startMicros(), tally);
        long latest = Long.MIN_VALUE;
        for (Grant grant : grants) {
            latest = Math.max(latest, grant.atMicros);
            if (grant.kept() > 0) {
                Answer answer = replay.at(latest).decide(grant.key, grant.kept());
                LawBroken.unless(answer.allowed(), "%d at %d: without the refunded, %s", grant.kept(), latest, answer);
                if (grant.released) {
                    replay.release(replay.lastGrant());
                }
            }
        }
        return replay.at(Math.max(nowMicros, latest));
    }

    /** The steps after which to look closely: a few, or all when hunting down a failure. */
    int[] probes() {
        int size = steps().size();
        return thorough
                ? IntStream.range(0, size).toArray()
                : random(-1).ints(SAMPLE, 0, size).toArray();
    }

    /** Chance that stays the same for the same step. */
    Random random(int step) {
        return new Random(trace.seed() * 31 + step);
    }

    /** More steps, all on one key. */
    List<Step> more(Random random, long nowMicros, String key) {
        return TraceWriter.more(random, limits(), nowMicros, family).stream()
                .map(step -> step.key(key))
                .toList();
    }

    /** More requests, all on one key, and nothing given back. */
    List<Step> moreRequests(Random random, long nowMicros, String key) {
        return more(random, nowMicros, key).stream().filter(s -> !s.gives()).toList();
    }
}
