package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** When a window ends that began under other terms. */
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
}
