package dev.sluice.contract;

import static org.assertj.core.api.Assertions.fail;

import dev.sluice.contract.TraceWriter.Manner;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The ten laws. Whatever makes limiters extends this and says how; everything else is the same for all of them.
 *
 * <p>{@code -Dsluice.traces=N} sets how many traces each law is tried on, {@code -Dsluice.seed=N} which.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LimiterContract {
    private final Tally tally = new Tally();

    /** What the laws are held against. */
    protected abstract Subject subject();

    /** Which limits it knows. */
    protected List<LimitFamily> families() {
        return List.of(LimitFamily.values());
    }

    /** How many traces each law is tried on, for each kind of limit. */
    protected int traces() {
        return Integer.getInteger("sluice.traces", 1000);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("1. Bound: holds over every interval")
    void bound(LimitFamily family) {
        holds("1", family, Bound::holds, manner -> manner.stepsBack(false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("2. Denied is free: a denied request changes no later decision")
    void deniedIsFree(LimitFamily family) {
        holds("2", family, Laws::deniedIsFree, manner -> manner);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("3. Tight retryAfter: allowed then, denied one microsecond before")
    void tightRetryAfter(LimitFamily family) {
        holds("3", family, Laws::tightRetryAfter, manner -> manner);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("4. Exact remaining: so many can be taken, one more cannot")
    void exactRemaining(LimitFamily family) {
        holds("4", family, Laws::exactRemaining, manner -> manner);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("5. Reset: after resetAfter the state equals a fresh one")
    void reset(LimitFamily family) {
        holds("5", family, Laws::reset, manner -> manner);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("6. Peek is free, and tells what a real request would have been told")
    void peekIsFree(LimitFamily family) {
        holds("6", family, Laws::peekIsFree, manner -> manner);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("6. Usage is free, adds up to what a peek says, and is where the model has it")
    void usageIsExact(LimitFamily family) {
        holds("6", family, Laws::usageIsExact, Manner::givesBackAndResets);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("7. Split: a + b at once is a, then b")
    void split(LimitFamily family) {
        holds("7", family, Laws::split, manner -> manner);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("8. No time machine: a clock that steps back admits no more")
    void noTimeMachine(LimitFamily family) {
        holds("8", family, Bound::holds, manner -> manner.stepsBack(true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("9. Refund: at once, it restores the state")
    void refundAtOnce(LimitFamily family) {
        holds("9", family, Laws::refundAtOnce, manner -> manner);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("9. Refund: never fuller than if the request had not been asked")
    void refundNeverFuller(LimitFamily family) {
        holds("9", family, Laws::refundNeverFuller, manner -> manner.givesBack(true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("9. Refund: no emptier than its own debt explains")
    void refundGivesWhatIsOwed(LimitFamily family) {
        holds("9", family, Laws::refundGivesWhatIsOwed, manner -> manner.givesBack(true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("9. Refund: of a part, it is that of the second of two requests")
    void partialRefund(LimitFamily family) {
        holds("9", family, Laws::partialRefund, manner -> manner);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("10. Linearizable: k callers on n permits admit exactly min(k, n)")
    void exactUnderContention(LimitFamily family) {
        contend("10", family, Contention::admitsExactly);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("1. Bound: holds under contention while the clock moves")
    void boundUnderContention(LimitFamily family) {
        contend("1", family, Contention::keepsTheBound);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    @DisplayName("Like the model: every answer is the reference model's, field by field")
    void likeTheModel(LimitFamily family) {
        holds("like the model", family, Laws::likeTheModel, Manner::givesBackAndResets);
    }

    private void holds(String law, LimitFamily family, Consumer<Lab> check, UnaryOperator<Manner> manners) {
        tally.ran(law, family);
        for (long seed : seeds(traces())) {
            Manner manner = manners.apply(Manner.random(new Random(~seed), family));
            Trace trace = TraceWriter.write(seed, family, manner);
            Optional<String> broken = new Trial(subject(), family, check, tally).breaks(trace);
            if (broken.isPresent()) {
                tally.failure();
                fail("law %s, %s: %s", law, family, broken.get());
            }
        }
    }

    private void contend(String law, LimitFamily family, Contention.Race race) {
        tally.ran(law, family);
        for (long seed : seeds(Math.max(1, traces() / 6))) {
            tally.trace();
            try {
                race.run(subject(), family, new Random(seed), tally);
            } catch (LawBroken broken) {
                tally.failure();
                fail("law %s, %s, seed %d: %s", law, family, seed, broken.getMessage());
            }
        }
    }

    private static long[] seeds(int count) {
        return new Random(Long.getLong("sluice.seed", 20_240_501L)).longs(count).toArray();
    }

    @AfterAll
    void tell() {
        System.out.println(tally.line(getClass().getSimpleName()));
    }
}
