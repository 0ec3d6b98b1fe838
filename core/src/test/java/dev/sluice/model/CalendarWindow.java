package dev.sluice.model;

import dev.sluice.Limit.Alignment;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;

/** The name that a wall calendar gives to the window around an instant. */
public record CalendarWindow(String name) {
    /** Two instants are in the same window if and only if the calendar calls their windows the same. */
    public static CalendarWindow at(long micros, Alignment.Calendar calendar) {
        ZonedDateTime time = Instant.EPOCH.plus(micros, ChronoUnit.MICROS).atZone(calendar.zone());
        return new CalendarWindow(
                switch (calendar.unit()) {
                    // The hour before and the hour after the clocks go back have the same name but for the offset.
                    case MINUTES ->
                        time.truncatedTo(ChronoUnit.MINUTES).toOffsetDateTime().toString();
                    case HOURS ->
                        time.truncatedTo(ChronoUnit.HOURS).toOffsetDateTime().toString();
                    case DAYS -> time.toLocalDate().toString();
                    case WEEKS ->
                        time.get(IsoFields.WEEK_BASED_YEAR) + "-W" + time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
                    case MONTHS -> time.getYear() + "-" + time.getMonth();
                    case YEARS -> "" + time.getYear();
                    default -> throw new IllegalArgumentException("no window of " + calendar.unit());
                });
    }
}
