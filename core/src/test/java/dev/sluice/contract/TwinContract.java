package dev.sluice.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limiter;
import dev.sluice.contract.TraceWriter.Manner;
import dev.sluice.model.ModelLimiter;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Law 11, twins: the same trace gives the same decisions, field by field, in Java, in the reference model, and in
 * whatever other runtime extends this.
 *
 * <p>{@code -Dsluice.twins=N} sets how many traces are tried for each kind of limit, {@code -Dsluice.seed=N} which.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class TwinContract {
    private static final int THREADS = 16;
    private static final long MOST_MINUTES = 60;

    private final LongAdder steps = new LongAdder();
    private final LongAdder differences = new LongAdder();

    /** What is compared with Java and the model. */
    protected abstract Subject twin();

    /** How many traces are tried for each kind of limit. */
    protected int traces() {
        return Integer.getInteger("sluice.twins", 1000);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(LimitFamily.class)
    @DisplayName("11. Twins: the same decisions, field by field")
    void twins(LimitFamily family) throws InterruptedException {
        ConcurrentLinkedQueue<String> different = new ConcurrentLinkedQueue<>();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        for (long seed : seeds()) {
            threads.execute(() -> difference(seed, family).ifPresent(different::add));
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(MOST_MINUTES, TimeUnit.MINUTES)).isTrue();
        differences.add(different.size());
        assertThat(different.stream().limit(3)).isEmpty();
    }

    /** How the twins differ on the trace of a seed, made as short as it can be; nothing if they do not. */
    private Optional<String> difference(long seed, LimitFamily family) {
        Trace trace = TraceWriter.write(
                seed, family, Manner.random(new Random(~seed), family).givesBackAndResets());
        steps.add(trace.steps().size());
        return new Trial(twin(), family, lab -> compare(lab.trace()), new Tally()).breaks(trace);
    }

    private void compare(Trace trace) {
        List<Answer> java = answers(Limiter::local, trace);
        LawBroken.unlessEqual(java, answers(twin(), trace), trace.steps(), "not as Java");
        LawBroken.unlessEqual(java, answers(ModelLimiter::new, trace), trace.steps(), "the model is not as Java");
    }

    private static List<Answer> answers(Subject subject, Trace trace) {
        return new Execution(subject, trace.limits(), trace.startMicros(), new Tally()).perform(trace.steps());
    }

    private long[] seeds() {
        return new Random(Long.getLong("sluice.seed", 11_235_813L))
                .longs(traces())
                .toArray();
    }

    @AfterAll
    void tell() {
        System.out.printf(
                "twins of %s: %d kinds of limit, %,d steps compared, %d differences%n",
                getClass().getSimpleName(), LimitFamily.values().length, steps.sum(), differences.sum());
    }
}
