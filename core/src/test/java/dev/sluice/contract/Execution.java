package dev.sluice.contract;

import dev.sluice.Decision;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.spi.LimiterDecision;
import java.util.ArrayList;
import java.util.List;

/** One limiter on a clock of its own, being taken through the steps of a trace. */
final class Execution {
    private final Tally tally;
    private final Limiter limiter;
    private final FakeClock clock;
    private final List<Grant> grants = new ArrayList<>();
    private final List<Answer> answers = new ArrayList<>();

    Execution(Subject subject, List<Limit> limits, long startMicros, Tally tally) {
        this.clock = new FakeClock(startMicros);
        this.limiter = subject.create(clock, limits.toArray(new Limit[0]));
        this.tally = tally;
    }

    long now() {
        return clock.micros();
    }

    /** Sets the clock. */
    Execution at(long micros) {
        clock.set(micros);
        return this;
    }

    Execution pass(long micros) {
        clock.advance(micros);
        return this;
    }

    /** Everything given out so far, oldest first. */
    List<Grant> grants() {
        return grants;
    }

    List<Answer> answers() {
        return answers;
    }

    List<Answer> perform(List<Step> steps) {
        List<Answer> performed = steps.stream().map(this::perform).toList();
        answers.addAll(performed);
        return performed;
    }

    Answer perform(Step step) {
        clock.advance(step.gapMicros());
        return call(step);
    }

    /** The call of a step, without its gap. */
    Answer call(Step step) {
        tally.step();
        Limiter face = step.percent() == 100 || step.gives() ? limiter : limiter.withShare(step.percent());
        return switch (step.call()) {
            case PEEK -> Answer.of(face.peek(step.key(), step.permits()));
            case DECIDE -> decide(face, step);
            case TRY -> tryAcquire(face, step);
            case REFUND, RELEASE -> refund(step);
            case RESET -> reset(step);
        };
    }

    private Answer decide(Limiter face, Step step) {
        Decision decision = face.decide(step.key(), step.permits());
        if (decision.allowed() && step.permits() > 0) {
            grants.add(new Grant(step.key(), now(), decision));
        }
        return Answer.of(decision);
    }

    /** What was tried for cannot be given back, since there is no decision to give it back by. */
    private Answer tryAcquire(Limiter face, Step step) {
        boolean acquired = face.tryAcquire(step.key(), step.permits());
        if (acquired && step.permits() > 0) {
            Grant grant = new Grant(step.key(), now(), LimiterDecision.allowed(step.permits(), 0, 0, 0));
            grant.released = true;
            grants.add(grant);
        }
        return Answer.of(acquired);
    }

    private Answer refund(Step step) {
        List<Grant> open = grants.stream()
                .filter(g -> g.open() && g.key.equals(step.key()))
                .toList();
        if (!open.isEmpty()) {
            Grant grant = open.get((int) Math.floorMod(step.permits(), (long) open.size()));
            if (step.call() == Step.Call.REFUND) {
                refund(grant, Math.max(1, grant.kept() * step.percent() / 100));
            } else {
                release(grant);
            }
        }
        return Answer.NONE;
    }

    /** Takes a microsecond, as a call to another process does: it is over before the next request comes. */
    private Answer reset(Step step) {
        limiter.reset(step.key());
        clock.advance(1);
        return Answer.NONE;
    }

    Answer decide(String key, long permits) {
        return call(Step.decide(0, key, permits));
    }

    Answer peek(String key, long permits) {
        return call(new Step(0, Step.Call.PEEK, key, permits, 100));
    }

    List<KeyUsage> usage(String key) {
        return limiter.usageAsync(key).join();
    }

    Grant lastGrant() {
        return grants.get(grants.size() - 1);
    }

    void refund(Grant grant) {
        refund(grant, grant.permits);
    }

    void refund(Grant grant, long unused) {
        limiter.refund(grant.key, grant.decision, unused);
        grant.refunded += unused;
    }

    void release(Grant grant) {
        limiter.release(grant.key, grant.decision);
        grant.released = true;
    }
}
