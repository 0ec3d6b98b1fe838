package dev.sluice.contract;

import dev.sluice.Decision;
import dev.sluice.KeyUsage;
import dev.sluice.Limit;
import dev.sluice.Outcome;
import dev.sluice.model.ModelLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Laws 2 to 7 and 9, and likeness to the model: each takes a trace and says if it is broken. Law 1 is in {@link Bound}. */
final class Laws {
    private Laws() {}

    /** 2. A denied request changes no later decision. */
    static void deniedIsFree(Lab lab) {
        List<Answer> answers = lab.afterAll().answers();
        Execution without = lab.fresh(lab.after(0).now());
        List<Answer> expected = new ArrayList<>();
        List<Answer> actual = new ArrayList<>();
        List<Step> kept = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            Step step = lab.steps().get(i);
            without.pass(step.gapMicros());
            if (!answers.get(i).denied()) {
                expected.add(without.call(step));
                actual.add(answers.get(i));
                kept.add(step);
            }
        }
        LawBroken.unlessEqual(
                expected, actual, kept, "without the denied requests, the others are answered differently");
    }

    /** 3. The same request is allowed at now + retryAfter, and denied one microsecond before. */
    static void tightRetryAfter(Lab lab) {
        List<Answer> answers = lab.afterAll().answers();
        for (int i : lab.probes()) {
            Step step = lab.steps().get(i);
            Answer answer = answers.get(i);
            if (step.call() != Step.Call.DECIDE) {
                continue;
            }
            if (answer.allowed()) {
                LawBroken.unless(answer.retryAfter() == 0, "step %d is allowed, and is to retry: %s", i, answer);
            } else if (answer.retryAfter() == Decision.NEVER_MICROS) {
                boolean beyond = lab.limits().stream()
                        .anyMatch(limit -> step.permits() > limit.capacity() * step.percent() / 100);
                LawBroken.unless(
                        beyond == (answer.outcome() == Outcome.NEVER), "step %d says never wrongly: %s", i, answer);
                LawBroken.unless(beyond || lab.holdsPermits(), "time would free step %d: %s", i, answer);
            } else {
                long wait = answer.retryAfter();
                LawBroken.unless(wait > 0, "step %d is denied, and is to retry at once: %s", i, answer);
                Answer early = lab.after(i + 1).pass(wait - 1).call(step);
                LawBroken.unless(!early.allowed(), "step %d: %s, but 1 before that: %s", i, answer, early);
                Answer punctual = lab.after(i + 1).pass(wait).call(step);
                LawBroken.unless(punctual.allowed(), "step %d: %s, but then: %s", i, answer, punctual);
            }
        }
    }

    /** 4. {@code remaining} permits can be taken right now, {@code remaining + 1} cannot. */
    static void exactRemaining(Lab lab) {
        for (int i : lab.probes()) {
            Step step = lab.steps().get(i);
            Execution execution = lab.after(i + 1);
            long remaining = execution.peek(step.key(), 0).remaining();
            Answer told = execution.answers().get(i);
            if (step.call() == Step.Call.DECIDE && step.percent() == 100) {
                LawBroken.unless(
                        told.remaining() == remaining, "after step %d: %s, but remaining=%d", i, told, remaining);
            }
            Answer all = execution.decide(step.key(), remaining);
            LawBroken.unless(
                    all.allowed() && all.remaining() == 0,
                    "after step %d, remaining=%d, but taking them: %s",
                    i,
                    remaining,
                    all);
            Answer tooMuch = lab.after(i + 1).decide(step.key(), remaining + 1);
            LawBroken.unless(
                    !tooMuch.allowed(), "after step %d, remaining=%d, but taking one more: %s", i, remaining, tooMuch);
        }
    }

    /** 5. At now + resetAfter the state equals a fresh one, and not one microsecond before. */
    static void reset(Lab lab) {
        for (int i : lab.probes()) {
            String key = lab.steps().get(i).key();
            Execution execution = lab.after(i + 1);
            long wait = execution.peek(key, 0).resetAfter();
            if (wait == Decision.NEVER_MICROS) {
                LawBroken.unless(lab.holdsPermits(), "time would reset the state after step %d", i);
                continue;
            }
            if (wait > 0) {
                Answer early = lab.after(i + 1).pass(wait - 1).peek(key, 0);
                LawBroken.unless(early.resetAfter() == 1, "after step %d, 1 before resetAfter=%d: %s", i, wait, early);
            }
            long then = execution.pass(wait).now();
            List<Step> more = lab.more(lab.random(i), then, key);
            LawBroken.unlessEqual(
                    lab.fresh(then).perform(more),
                    execution.perform(more),
                    more,
                    "after step %d and resetAfter=%d, not as a fresh one",
                    i,
                    wait);
        }
    }

    /** 6. A peek changes nothing, and tells what a real request would have been told. */
    static void peekIsFree(Lab lab) {
        Execution peeking = lab.after(0);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < lab.steps().size(); i++) {
            Step step = lab.steps().get(i);
            peeking.pass(step.gapMicros());
            Random random = lab.random(i);
            peeking.peek(step.key(), random.nextInt(5));
            Answer peeked = peeking.call(new Step(0, Step.Call.PEEK, step.key(), step.permits(), step.percent()));
            Answer answer = peeking.call(step);
            if (step.call() == Step.Call.DECIDE) {
                LawBroken.unless(peeked.equals(answer), "step %d: peek %s%n  but decide %s", i, peeked, answer);
            }
            answers.add(answer);
        }
        LawBroken.unlessEqual(lab.afterAll().answers(), answers, lab.steps(), "with peeks, the answers are others");
    }

    /** 6. What is said to be in use adds up to what a peek says, was taken when the model took it, and looking is free. */
    static void usageIsExact(Lab lab) {
        Execution looking = lab.after(0);
        Execution model = lab.fresh(ModelLimiter::new);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < lab.steps().size(); i++) {
            Step step = lab.steps().get(i);
            answers.add(looking.perform(step));
            model.perform(step);
            List<KeyUsage> usage = looking.usage(step.key());
            LawBroken.unless(
                    usage.equals(model.usage(step.key())),
                    "after step %d, in use %s%n  but by the model %s",
                    i,
                    usage,
                    model.usage(step.key()));
            long remaining = Long.MAX_VALUE;
            for (int limit = 0; limit < usage.size(); limit++) {
                KeyUsage each = usage.get(limit);
                remaining = Math.min(remaining, lab.limits().get(limit).capacity() - each.used());
                long sum =
                        each.spans().stream().mapToLong(KeyUsage.Span::permits).sum();
                LawBroken.unless(each.spans().isEmpty() || sum == each.used(), "after step %d, %d in %s", i, sum, each);
                LawBroken.unless(each.spans().size() <= KeyUsage.MAX_SPANS, "after step %d, too many: %s", i, each);
            }
            Answer peeked = looking.peek(step.key(), 0);
            LawBroken.unless(peeked.remaining() == remaining, "after step %d, in use %s, but %s", i, usage, peeked);
        }
        LawBroken.unlessEqual(lab.afterAll().answers(), answers, lab.steps(), "with looks, the answers are others");
    }

    /** 7. Where acquire(a+b) is allowed, acquire(a) then acquire(b) are too, and leave the same state. */
    static void split(Lab lab) {
        for (int i : lab.probes()) {
            String key = lab.steps().get(i).key();
            Random random = lab.random(i);
            Execution whole = lab.after(i + 1);
            long remaining = whole.peek(key, 0).remaining();
            if (remaining < 2) {
                continue;
            }
            long sum = 2 + random.nextLong(remaining - 1);
            long first = 1 + random.nextLong(sum - 1);
            Execution parts = lab.after(i + 1);
            Answer all = whole.decide(key, sum);
            Answer one = parts.decide(key, first);
            Answer other = parts.decide(key, sum - first);
            LawBroken.unless(
                    all.allowed() && one.allowed() && other.allowed() && all.remaining() == other.remaining(),
                    "after step %d, %d at once: %s%n  but %d of them: %s%n  then the rest: %s",
                    i,
                    sum,
                    all,
                    first,
                    one,
                    other);
            List<Step> more = lab.moreRequests(random, whole.now(), key);
            LawBroken.unlessEqual(
                    whole.perform(more), parts.perform(more), more, "after step %d, %d split at %d", i, sum, first);
        }
    }

    /** 9. Giving back at once restores the state. */
    static void refundAtOnce(Lab lab) {
        for (int i : lab.probes()) {
            String key = lab.steps().get(i).key();
            Random random = lab.random(i);
            Execution refunded = lab.after(i + 1);
            long remaining = refunded.peek(key, 0).remaining();
            if (remaining > 0) {
                long permits = 1 + random.nextLong(remaining);
                refunded.decide(key, permits);
                refunded.refund(refunded.lastGrant());
                Execution untouched = lab.after(i + 1);
                List<Step> more = lab.more(random, untouched.now(), key);
                LawBroken.unlessEqual(
                        untouched.perform(more),
                        refunded.perform(more),
                        more,
                        "after step %d, taking %d and giving them back at once left a mark",
                        i,
                        permits);
            }
        }
    }

    /** 9. Never fuller than if what was refunded had not been asked for; as full, where a limit counts exactly. */
    static void refundNeverFuller(Lab lab) {
        if (lab.limits().stream().anyMatch(Laws::opensWithRequest)) {
            return; // without the request that opened it, the window would be another
        }
        // What had left a window when it was refunded is there again when the clock steps back.
        boolean exact = lab.limits().stream().allMatch(Laws::refundsExactly)
                && lab.steps().stream().noneMatch(step -> step.gapMicros() < 0);
        Execution execution = lab.after(0);
        for (int i = 0; i < lab.steps().size(); i++) {
            Step step = lab.steps().get(i);
            execution.perform(step);
            long remaining = execution.peek(step.key(), 0).remaining();
            List<Grant> grants = execution.grants().stream()
                    .filter(grant -> grant.key.equals(step.key()))
                    .toList();
            long without =
                    lab.without(grants, execution.now()).peek(step.key(), 0).remaining();
            LawBroken.unless(
                    exact ? remaining == without : remaining <= without,
                    "after step %d, remaining=%d, but without what was refunded %d",
                    i,
                    remaining,
                    without);
        }
    }

    private static boolean opensWithRequest(Limit limit) {
        return limit instanceof Limit.FixedWindow fixed && fixed.alignment() instanceof Limit.Alignment.FirstRequest;
    }

    private static boolean refundsExactly(Limit limit) {
        return limit instanceof Limit.FixedWindow
                || limit instanceof Limit.SlidingWindow
                || limit instanceof Limit.SlidingLog;
    }

    /** 9. No emptier than a bucket's debt explains: each refund gives at least what the law says. */
    static void refundGivesWhatIsOwed(Lab lab) {
        RefundLedger ledger = RefundLedger.of(lab.limits());
        if (ledger == null) {
            return;
        }
        Execution execution = lab.after(0);
        for (int i = 0; i < lab.steps().size(); i++) {
            Step step = lab.steps().get(i).key("");
            execution.perform(step);
            ledger.follow(execution.grants(), execution.now());
            long remaining = execution.peek("", 0).remaining();
            long owed = ledger.remaining(execution.now());
            LawBroken.unless(remaining >= owed, "after step %d, remaining=%d, but owed are %d", i, remaining, owed);
        }
    }

    /** 7 and 9. To refund a part is to refund the second of two requests. */
    static void partialRefund(Lab lab) {
        if (lab.holdsPermits()) {
            return;
        }
        for (int i : lab.probes()) {
            String key = lab.steps().get(i).key();
            Random random = lab.random(i);
            Execution whole = lab.after(i + 1);
            long remaining = whole.peek(key, 0).remaining();
            if (remaining < 2) {
                continue;
            }
            long unused = 1 + random.nextLong(remaining - 1);
            long used = 1 + random.nextLong(remaining - unused);
            Execution parts = lab.after(i + 1);
            whole.decide(key, used + unused);
            parts.decide(key, used);
            parts.decide(key, unused);
            long later = random.nextLong(1
                    + lab.limits().stream()
                            .mapToLong(l -> Rhythm.of(l).memoryMicros())
                            .max()
                            .orElseThrow());
            whole.pass(later).refund(whole.lastGrant(), unused);
            parts.pass(later).refund(parts.lastGrant());
            List<Step> more = lab.moreRequests(random, whole.now(), key);
            LawBroken.unlessEqual(
                    parts.perform(more),
                    whole.perform(more),
                    more,
                    "after step %d, %d of %d refunded %d later",
                    i,
                    unused,
                    used + unused,
                    later);
        }
    }

    /** Every answer is the model's, field by field. */
    static void likeTheModel(Lab lab) {
        LawBroken.unlessEqual(
                lab.afterAll(ModelLimiter::new).answers(), lab.afterAll().answers(), lab.steps(), "not as the model");
    }
}
