package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** When windows start and end, also those that began under other terms. */
class WindowScheduleTest {
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final long MINUTE = 60_000_000;

    @Test
    void toWindowsAtMultiples() {
        WindowSchedule tens = WindowSchedule.atMultiples(10, 0);
        WindowSchedule sixties = WindowSchedule.atMultiples(60, 0);
        assertThat(sixties.migratedEnd(tens, 30, 25))
                .as("open: ends with the window it is now in")
                .isEqualTo(60);
        assertThat(sixties.migratedEnd(tens, 30, 30)).as("over: stays over").isEqualTo(30);
        assertThat(sixties.migratedEnd(tens, 30, 65)).isEqualTo(30);
        assertThat(tens.migratedEnd(tens, 30, 65)).isEqualTo(30);
        assertThat(WindowSchedule.atMultiples(10, 4).migratedEnd(tens, 30, 25))
                .as("the wall clock is 4 ahead")
                .isEqualTo(26);
    }

    @Test
    void toWindowsOfTheCalendar() {
        WindowSchedule minutes = WindowSchedule.byCalendar(ChronoUnit.MINUTES, UTC, 0);
        WindowSchedule hours = WindowSchedule.byCalendar(ChronoUnit.HOURS, UTC, 0);
        assertThat(hours.migratedEnd(minutes, MINUTE, MINUTE - 1)).isEqualTo(60 * MINUTE);
        assertThat(hours.migratedEnd(minutes, MINUTE, MINUTE)).isEqualTo(MINUTE);
        assertThat(hours.migratedEnd(minutes, MINUTE, 61 * MINUTE)).isEqualTo(MINUTE);
        assertThat(WindowSchedule.byCalendar(ChronoUnit.MINUTES, UTC, 7).migratedEnd(minutes, MINUTE, 5))
                .isEqualTo(MINUTE - 7);
    }

    @Test
    void toWindowsFromTheFirstRequest() {
        WindowSchedule ten = WindowSchedule.fromFirstRequest(10);
        assertThat(WindowSchedule.fromFirstRequest(60).migratedEnd(ten, 30, 25))
                .as("as much longer")
                .isEqualTo(80);
        assertThat(WindowSchedule.fromFirstRequest(60).migratedEnd(ten, 30, 30))
                .as("over")
                .isEqualTo(30);
        assertThat(WindowSchedule.fromFirstRequest(3).migratedEnd(ten, 30, 25))
                .as("one new period at most")
                .isEqualTo(28);
        assertThat(WindowSchedule.fromFirstRequest(7).migratedEnd(ten, 30, 25)).isEqualTo(30);
        assertThat(ten.migratedEnd(WindowSchedule.atMultiples(60, 0), 60, 25)).isEqualTo(35);
    }

    @Test
    void multiplesFollowAWallClockThatIsAhead() {
        WindowSchedule ahead = WindowSchedule.atMultiples(100, 30);
        assertThat(ahead.endAfter(0)).isEqualTo(70);
        assertThat(ahead.endAfter(69)).isEqualTo(70);
        assertThat(ahead.endAfter(70)).isEqualTo(170);
        assertThat(ahead.startOf(70)).isEqualTo(-30);
        assertThat(ahead.migratedEnd(WindowSchedule.atMultiples(100, 10), 90, 5))
                .isEqualTo(70);
    }

    @Test
    void calendarsFollowAWallClockThatIsAhead() {
        long second = 1_000_000;
        WindowSchedule ahead = WindowSchedule.byCalendar(ChronoUnit.MINUTES, UTC, 10 * second);
        assertThat(ahead.endAfter(0)).isEqualTo(50 * second);
        assertThat(ahead.endAfter(50 * second)).isEqualTo(110 * second);
        assertThat(ahead.startOf(50 * second)).isEqualTo(-10 * second);
        assertThat(ahead.startOf(State.ANCIENT)).isEqualTo(State.ANCIENT);
        WindowSchedule old = WindowSchedule.byCalendar(ChronoUnit.MINUTES, UTC, 4 * second);
        assertThat(ahead.migratedEnd(old, 116 * second, 0)).isEqualTo(110 * second);
        WindowSchedule hours = WindowSchedule.byCalendar(ChronoUnit.HOURS, UTC, 4 * second);
        assertThat(ahead.migratedEnd(hours, 3596 * second, 0)).isEqualTo(50 * second);
        assertThat(ahead.migratedEnd(hours, 3 * second, 3 * second)).isEqualTo(3 * second);
    }
}
