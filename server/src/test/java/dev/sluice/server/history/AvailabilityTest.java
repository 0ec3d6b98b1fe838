package dev.sluice.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A made-up month with outages and bursts, beside a model that remembers every minute. */
class AvailabilityTest {
    private static final long START = 1_788_998_400; // an hour begins
    private static final int DAYS = 33;
    private static final double TARGET = 0.999;

    private final FakeCounters counters = new FakeCounters(START);
    private final TreeMap<Long, long[]> model = new TreeMap<>();
    private final Random random = new Random(43);

    @Test
    void aMonthAgainstTheModel() {
        int outage = 0;
        for (int minute = 0; minute < DAYS * 1440; minute++) {
            outage = outage > 0 ? outage - 1 : random.nextInt(4000) == 0 ? random.nextInt(90) : 0;
            long requests = random.nextInt(50) == 0 ? 60_000 : 300 + random.nextInt(200);
            long failed = outage > 0 ? requests * (30 + random.nextInt(71)) / 100 : 0;
            long errors = random.nextInt(200) == 0 ? random.nextInt(20) : 0;
            pass(requests, failed, errors);
            if (minute > 0 && (minute % 997 == 0 || minute > DAYS * 1440 - 30)) {
                compare();
            }
        }
    }

    /** A minute passes, in a tick at its end; in the last of them each second. */
    private void pass(long requests, long failed, long errors) {
        counters.requests(Column.ALLOWED, requests / 2)
                .requests(Column.DENIED, requests - requests / 2)
                .requests(Column.FAILED, failed)
                .requests(Column.ERRORS, errors);
        counters.jump(59).tick();
        long second = counters.second() - 1;
        model.merge(second, new long[] {requests - failed, failed + errors}, Slot::sum);
    }

    private void compare() {
        compare(Duration.ofHours(1), 60);
        compare(Duration.ofHours(24), 60);
        compare(Duration.ofDays(30), 3600);
    }

    /** A window ends now and begins at the begin of a minute or, for a month, of an hour. */
    private void compare(Duration window, long grain) {
        long now = counters.second() - 1;
        long from = (now / grain - window.toSeconds() / grain + 1) * grain;
        long good = 0;
        long bad = 0;
        long to = grain == 60 ? now : now / 60 * 60 - 1; // a month ends with the last minute that is over
        for (long[] counts : model.subMap(from, true, to, true).values()) {
            good += counts[0];
            bad += counts[1];
        }
        Availability figures = counters.recorder.history().availability(TARGET, window);
        assertThat(figures.good()).as(window + " good").isEqualTo(good);
        assertThat(figures.bad()).as(window + " bad").isEqualTo(bad);
        double share = bad / (double) (good + bad);
        assertThat(figures.availability().orElseThrow()).isCloseTo(1 - share, within(1e-12));
        assertThat(figures.burnRate()).isCloseTo(share / 0.001, within(1e-6));
        double budget = window.toMinutes() * 0.001;
        assertThat(figures.budgetMinutes()).isCloseTo(budget, within(1e-6));
        assertThat(figures.budgetLeftMinutes()).isCloseTo(budget - budget * share / 0.001, within(1e-6));
    }

    /** Nothing came: no share, and the whole budget. */
    @Test
    void withoutTraffic() {
        for (int i = 0; i < 3 * 3600; i++) {
            counters.tick();
        }
        for (Duration window : List.of(Duration.ofHours(1), Duration.ofHours(24), Duration.ofDays(30))) {
            Availability none = counters.recorder.history().availability(TARGET, window);
            assertThat(none.availability()).isEmpty();
            assertThat(none.burnRate()).isZero();
            assertThat(none.budgetLeftMinutes()).isCloseTo(none.budgetMinutes(), within(1e-9));
        }
    }

    /** An outage counts for 30 days, and no longer; the clock is put back and forward meanwhile. */
    @Test
    void anOutageLeavesTheMonth() {
        counters.requests(Column.ALLOWED, 100).requests(Column.FAILED, 100).tick();
        hours(30 * 24 - 1);
        assertThat(month().bad()).isEqualTo(100);
        counters.jump(-1800);
        counters.requests(Column.ALLOWED, 50).tick();
        counters.jump(1800).tick();
        assertThat(month().bad()).isEqualTo(100);
        hours(1);
        assertThat(month().bad()).isZero();
        assertThat(month().good()).isEqualTo(50);
    }

    /** Hours pass, in which nothing comes. */
    private void hours(int count) {
        for (int hour = 0; hour < count; hour++) {
            counters.jump(3599).tick();
        }
    }

    private Availability month() {
        return counters.recorder.history().availability(TARGET, Duration.ofDays(30));
    }

    @Test
    void theBudgetOfAMonth() {
        Duration month = Duration.ofDays(30);
        assertThat(new Availability(0.999, month, 0, 0).budgetMinutes()).isCloseTo(43.2, within(1e-9));
        assertThat(new Availability(0.9999, month, 0, 0).budgetMinutes()).isCloseTo(4.32, within(1e-9));
        assertThat(new Availability(0.999, month, 0, 0).availability()).isEmpty();
        assertThat(new Availability(0.999, month, 999, 1).budgetLeftMinutes()).isCloseTo(0, within(1e-9));
        assertThat(new Availability(0.999, month, 998, 2).budgetLeftMinutes()).isCloseTo(-43.2, within(1e-9));
    }
}
