package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** When a window ends that began under other terms. */
class TurnTest {
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final long MINUTE = 60_000_000;

    @Test
    void toWindowsAtMultiples() {
        Turn tens = Turn.atMultiples(10, 0);
        Turn sixties = Turn.atMultiples(60, 0);
        assertThat(sixties.carriedEnd(tens, 30, 25))
                .as("open: ends with the window it is now in")
                .isEqualTo(60);
        assertThat(sixties.carriedEnd(tens, 30, 30)).as("over: stays over").isEqualTo(30);
        assertThat(sixties.carriedEnd(tens, 30, 65)).isEqualTo(30);
        assertThat(tens.carriedEnd(tens, 30, 65)).isEqualTo(30);
        assertThat(Turn.atMultiples(10, 4).carriedEnd(tens, 30, 25))
                .as("the wall clock is 4 ahead")
                .isEqualTo(26);
    }

    @Test
    void toWindowsOfTheCalendar() {
        Turn minutes = Turn.withCalendar(ChronoUnit.MINUTES, UTC, 0);
        Turn hours = Turn.withCalendar(ChronoUnit.HOURS, UTC, 0);
        assertThat(hours.carriedEnd(minutes, MINUTE, MINUTE - 1)).isEqualTo(60 * MINUTE);
        assertThat(hours.carriedEnd(minutes, MINUTE, MINUTE)).isEqualTo(MINUTE);
        assertThat(hours.carriedEnd(minutes, MINUTE, 61 * MINUTE)).isEqualTo(MINUTE);
        assertThat(Turn.withCalendar(ChronoUnit.MINUTES, UTC, 7).carriedEnd(minutes, MINUTE, 5))
                .isEqualTo(MINUTE - 7);
    }

    @Test
    void toWindowsFromTheFirstRequest() {
        Turn ten = Turn.afterFirst(10);
        assertThat(Turn.afterFirst(60).carriedEnd(ten, 30, 25))
                .as("as much longer")
                .isEqualTo(80);
        assertThat(Turn.afterFirst(60).carriedEnd(ten, 30, 30)).as("over").isEqualTo(30);
        assertThat(Turn.afterFirst(3).carriedEnd(ten, 30, 25))
                .as("one new period at most")
                .isEqualTo(28);
        assertThat(Turn.afterFirst(7).carriedEnd(ten, 30, 25)).isEqualTo(30);
        assertThat(ten.carriedEnd(Turn.atMultiples(60, 0), 60, 25)).isEqualTo(35);
    }
}
