package dev.sluice.rules.engine;

import dev.sluice.rules.Request;
import dev.sluice.rules.Verdict;
import dev.sluice.rules.VerdictListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests whose verdicts are not there yet, and tells the listeners of each once it is. */
final class PendingVerdicts {
    private static final System.Logger LOG = System.getLogger(RuleEngine.class.getName());

    private final LongAdder count = new LongAdder();
    private final List<VerdictListener> listeners = new CopyOnWriteArrayList<>();

    void listener(VerdictListener listener) {
        listeners.add(listener);
    }

    /** How many there are; a guess while others come and go. */
    int count() {
        return Math.max(0, count.intValue());
    }

    /** Tells the listeners of a verdict, once it is there, and counts its request until then. */
    CompletableFuture<Verdict> withListeners(Request request, CompletableFuture<Verdict> verdict) {
        if (CheckExecution.isDecided(verdict)) {
            notifyListeners(request, verdict.join());
        } else {
            count.increment();
            verdict.whenComplete((given, failure) -> {
                count.decrement();
                if (given != null) {
                    notifyListeners(request, given);
                }
            });
        }
        return verdict;
    }

    /** Tells the listeners of a verdict that is there. */
    void notifyListeners(Request request, Verdict verdict) {
        for (VerdictListener listener : listeners) {
            try {
                listener.decided(request, verdict);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a listener failed on " + verdict, e);
            }
        }
    }

    /** The same verdict, which counts until it is there. */
    CompletableFuture<Verdict> counted(CompletableFuture<Verdict> verdict) {
        count.increment();
        verdict.whenComplete((given, failure) -> count.decrement());
        return verdict;
    }
}
