package dev.sluice.local;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.algorithm.State;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Forecasts: what they note, what makes them stale, and what they cost. */
class TurnsTest {
    private static final long SECOND = 1_000_000;

    private final Waiters waiters = new Waiters();

    private static State state(Limit... limits) {
        return CompiledLimits.of(List.of(limits), 0).algorithm().fresh();
    }

    private Turns turns(State state) {
        return new Turns(new Entry("k", 0, state), waiters);
    }

    private Waiter add(int percent, long permits, long deadline) {
        Waiter waiter = new Waiter("k", permits, percent, deadline);
        waiters.add(waiter);
        return waiter;
    }

    /** A log of ten in ten seconds, of which eight are in use until 10 s and two until 15 s. */
    private static State nearlyFull() {
        State state = state(Limit.slidingLog(10, ofSeconds(10)));
        state.take(0, 8);
        state.take(5 * SECOND, 2);
        return state;
    }

    @Test
    void everybodyNotesItsTurn() {
        Forecast forecast = new Forecast(nearlyFull(), 5 * SECOND);
        Waiter first = add(100, 8, State.NEVER);
        Waiter second = add(100, 10, State.NEVER);
        List<Waiter> hopeless = new ArrayList<>();
        assertThat(forecast.spansTime()).isFalse();
        assertThat(forecast.serve(waiters, null, hopeless)).isTrue();
        assertThat(first.turn).isEqualTo(10 * SECOND);
        assertThat(second.turn).isEqualTo(20 * SECOND);
        assertThat(hopeless).isEmpty();
        assertThat(forecast.steps()).isEqualTo(2);
        assertThat(forecast.spansTime()).isTrue();
    }

    @Test
    void aForecastUpToOneNotesNoTurns() {
        Forecast forecast = new Forecast(nearlyFull(), 5 * SECOND);
        Waiter first = add(100, 8, State.NEVER);
        Waiter second = add(100, 10, State.NEVER);
        assertThat(forecast.serve(waiters, second, new ArrayList<>())).isTrue();
        assertThat(first.turn).isEqualTo(State.NEVER);
        assertThat(forecast.readyAt(100, 10, 0)).isEqualTo(20 * SECOND);
        assertThat(forecast.steps()).isEqualTo(1);
    }

    @Test
    void whoeverIsHopelessFromTheStartIsPassed() {
        Forecast forecast = new Forecast(nearlyFull(), 5 * SECOND);
        Waiter late = add(100, 8, 9 * SECOND);
        Waiter behind = add(100, 8, State.NEVER);
        List<Waiter> hopeless = new ArrayList<>();
        assertThat(forecast.serve(waiters, null, hopeless)).isTrue();
        assertThat(hopeless).containsExactly(late);
        assertThat(behind.turn).isEqualTo(10 * SECOND);
        assertThat(forecast.steps()).as("both were looked at").isEqualTo(2);
    }

    /** It barred another while a higher share went before it. */
    @Test
    void whoeverBecomesHopelessMakesTheForecastWorthless() {
        Forecast forecast = new Forecast(nearlyFull(), 5 * SECOND);
        Waiter overtaken = add(50, 5, 16 * SECOND);
        add(50, 3, State.NEVER);
        add(100, 8, State.NEVER);
        List<Waiter> hopeless = new ArrayList<>();
        assertThat(forecast.serve(waiters, null, hopeless)).isFalse();
        assertThat(hopeless).containsExactly(overtaken);
    }

    // ---- What makes a forecast stale

    /** Turns that come as foreseen leave the forecast as it is; others do not. */
    @ParameterizedTest
    @CsvSource({"10, false", "9, true", "11, true"})
    void onlyATurnAtAnotherTimeMakesTheForecastStale(long servedAt, boolean stale) {
        Turns turns = turns(nearlyFull());
        Waiter first = add(100, 8, State.NEVER);
        add(100, 8, State.NEVER);
        assertThat(turns.ofNewcomer(1, 100, 5 * SECOND)).isEqualTo(20 * SECOND);
        assertThat(turns.steps()).isEqualTo(2);
        assertThat(turns.areUnchecked()).isFalse();
        waiters.remove(first);
        turns.served(first, servedAt * SECOND);
        assertThat(turns.areUnchecked()).as("those behind come later").isEqualTo(servedAt > 10);
        turns.ofNewcomer(1, 100, servedAt * SECOND);
        assertThat(turns.steps()).isEqualTo(stale ? 3 : 2);
    }

    /** Nobody waits for time to pass, so a late release delays nobody. */
    @Test
    void aLateReleaseDelaysNobody() {
        State state = state(Limit.concurrency(1), Limit.slidingLog(10, ofSeconds(10)));
        state.take(0, 1);
        Turns turns = turns(state);
        Waiter first = add(100, 1, State.NEVER);
        add(100, 1, State.NEVER);
        turns.ofNewcomer(1, 100, 0);
        assertThat(turns.steps()).isEqualTo(2);
        waiters.remove(first);
        turns.served(first, SECOND);
        assertThat(turns.areUnchecked()).isFalse();
        turns.ofNewcomer(1, 100, SECOND);
        assertThat(turns.steps()).isEqualTo(3);
    }

    @Test
    void aForecastThatFindsSomebodyHopelessIsToBeChecked() {
        Turns turns = turns(nearlyFull());
        Waiter late = add(100, 8, 9 * SECOND);
        turns.ofNewcomer(1, 100, 5 * SECOND);
        assertThat(turns.areUnchecked()).isTrue();
        assertThat(turns.check(5 * SECOND)).containsExactly(late);
        waiters.remove(late);
        assertThat(turns.areUnchecked()).isFalse();
        turns.changed();
        turns.ofNewcomer(1, 100, 5 * SECOND);
        assertThat(turns.areUnchecked()).isFalse();
    }

    // ---- What is paid for

    @ParameterizedTest
    @CsvSource({"256, 0", "257, 2", "512, 2", "513, 3"})
    void aForecastIsFreeForFewAndPaidForByOperationsForMore(int size, int operations) {
        Turns turns = turns(nearlyFull());
        for (int i = 0; i < size; i++) {
            add(100, 1, State.NEVER);
        }
        turns.delayed();
        for (int i = 0; i < operations; i++) {
            assertThat(turns.canBeChecked()).as("after %d operations", i).isFalse();
            turns.pay();
        }
        assertThat(turns.canBeChecked()).isTrue();
        assertThat(turns.check(5 * SECOND)).isEmpty();
        assertThat(turns.canBeChecked()).isFalse();
    }
}
