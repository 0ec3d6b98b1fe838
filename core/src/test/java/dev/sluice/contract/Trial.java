package dev.sluice.contract;

import java.util.Optional;
import java.util.function.Consumer;

/** One law against one trace; a trace that breaks it is made as short as it can be and told as a table. */
final class Trial {
    private static final int MAX_ATTEMPTS = 3000;

    private final Subject subject;
    private final LimitFamily family;
    private final Consumer<Lab> law;
    private final Tally tally;
    private int attempts;

    Trial(Subject subject, LimitFamily family, Consumer<Lab> law, Tally tally) {
        this.subject = subject;
        this.family = family;
        this.law = law;
        this.tally = tally;
    }

    /** How {@code trace} breaks the law, or nothing. */
    Optional<String> breaks(Trace trace) {
        tally.trace();
        return broken(trace, false).map(how -> report(shrink(trace), how));
    }

    @SuppressWarnings("CatchingUnchecked") // Whatever a limiter throws on a valid trace breaks the law too.
    private Optional<String> broken(Trace trace, boolean thorough) {
        try {
            law.accept(new Lab(subject, family, trace, tally, thorough));
            return Optional.empty();
        } catch (LawBroken broken) {
            return Optional.of(String.valueOf(broken.getMessage()));
        } catch (RuntimeException | Error thrown) {
            return Optional.of("threw " + thrown + " at " + firstFrame(thrown));
        }
    }

    private static String firstFrame(Throwable thrown) {
        return thrown.getStackTrace().length == 0 ? "?" : thrown.getStackTrace()[0].toString();
    }

    private boolean stillBroken(Trace trace) {
        return attempts++ < MAX_ATTEMPTS && broken(trace, true).isPresent();
    }

    private Trace shrink(Trace trace) {
        Trace smallest = trace;
        Trace before;
        do {
            before = smallest;
            smallest = simplified(shortened(smallest));
        } while (!smallest.equals(before));
        return smallest;
    }

    private Trace shortened(Trace trace) {
        Trace shortest = trace;
        for (int chunk = Math.max(1, trace.steps().size() / 2); chunk >= 1; chunk /= 2) {
            for (int from = shortest.steps().size() - chunk; from >= 0; from--) {
                if (from + chunk <= shortest.steps().size()) {
                    Trace shorter = shortest.without(from, from + chunk);
                    shortest = stillBroken(shorter) ? shorter : shortest;
                }
            }
        }
        return shortest;
    }

    private Trace simplified(Trace trace) {
        Trace simplest = trace;
        for (int i = 0; i < simplest.steps().size(); i++) {
            Step step = simplest.steps().get(i);
            Step[] simpler = {
                step.permits(1),
                step.permits(step.permits() / 2),
                step.gap(0),
                step.gap(Long.signum(step.gapMicros())),
                step.gap(step.gapMicros() / 2),
                step.percent(100)
            };
            for (Step candidate : simpler) {
                Trace changed = simplest.with(i, candidate);
                if (!candidate.equals(simplest.steps().get(i)) && stillBroken(changed)) {
                    simplest = changed;
                    break;
                }
            }
        }
        Trace atZero = simplest.start(0);
        return simplest.startMicros() != 0 && stillBroken(atZero) ? atZero : simplest;
    }

    private String report(Trace trace, String originally) {
        StringBuilder table = new StringBuilder()
                .append(broken(trace, true).orElse(originally))
                .append("%n%nseed %d, limits:%n".formatted(trace.seed()));
        for (Object limit : trace.limits()) {
            table.append("  ").append(limit).append(System.lineSeparator());
        }
        table.append("%n%4s %20s %20s %-8s %-4s %20s %5s  %s%n"
                .formatted("step", "clock", "gap", "call", "key", "permits", "share", "answer"));
        try {
            Execution execution = new Execution(subject, trace.limits(), trace.startMicros(), tally);
            for (int i = 0; i < trace.steps().size(); i++) {
                Step step = trace.steps().get(i);
                Answer answer = execution.perform(step);
                table.append("%4d %20d %20d %-8s %-4s %20d %4d%%  %s%n"
                        .formatted(
                                i,
                                execution.now(),
                                step.gapMicros(),
                                step.call(),
                                "'" + step.key() + "'",
                                step.permits(),
                                step.percent(),
                                answer));
            }
        } catch (RuntimeException thrown) {
            table.append("     threw ").append(thrown).append(System.lineSeparator());
        }
        return table.toString();
    }
}
