package dev.sluice.edges;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.contract.FakeClock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows that a wall calendar opens and closes. */
class CalendarWindowTest {
    private final FakeClock clock = new FakeClock(0);

    @ParameterizedTest(name = "{0} in {1} at {2} ends {3} later")
    @CsvSource({
        "DAYS,    Asia/Shanghai,     2024-05-01T00:00:00+08:00, PT24H",
        "DAYS,    Asia/Shanghai,     2024-05-01T23:59:59+08:00, PT1S",
        "DAYS,    Asia/Shanghai,     2024-05-01T00:00:00Z,      PT16H",
        "DAYS,    Europe/Berlin,     2024-03-31T00:00:00+01:00, PT23H", // clocks go forward
        "DAYS,    Europe/Berlin,     2024-03-31T03:00:00+02:00, PT21H",
        "DAYS,    Europe/Berlin,     2024-10-27T00:00:00+02:00, PT25H", // clocks go back
        "DAYS,    Europe/Berlin,     2024-10-27T02:30:00+02:00, PT22H30M",
        "DAYS,    Europe/Berlin,     2024-10-27T02:30:00+01:00, PT21H30M",
        "DAYS,    America/Sao_Paulo, 2018-11-03T12:00:00-03:00, PT12H", // the next day starts at one
        "DAYS,    America/Sao_Paulo, 2018-11-04T01:00:00-02:00, PT23H",
        "DAYS,    Pacific/Apia,      2011-12-29T12:00:00-10:00, PT12H", // the 30th did not take place
        "DAYS,    Pacific/Apia,      2011-12-31T00:00:00+14:00, PT24H",
        "DAYS,    UTC,               1969-12-31T23:59:59.999999Z, PT0.000001S",
        "HOURS,   Asia/Kolkata,      2024-05-01T10:15:00+05:30, PT45M",
        "HOURS,   Europe/Berlin,     2024-10-27T02:30:00+02:00, PT30M", // two windows of the same name
        "HOURS,   Europe/Berlin,     2024-10-27T02:30:00+01:00, PT30M",
        "HOURS,   Europe/Berlin,     2024-03-31T01:30:00+01:00, PT30M",
        "MINUTES, Asia/Kathmandu,    2024-05-01T10:15:20+05:45, PT40S",
        "WEEKS,   Europe/Berlin,     2024-05-05T23:59:00+02:00, PT1M", // a Sunday
        "WEEKS,   Europe/Berlin,     2024-05-06T00:00:00+02:00, PT168H", // a Monday
        "WEEKS,   Europe/Berlin,     2024-03-25T00:00:00+01:00, PT167H",
        "MONTHS,  UTC,               2024-02-01T00:00:00Z,      PT696H", // 29 days
        "MONTHS,  UTC,               2023-02-01T00:00:00Z,      PT672H", // 28 days
        "MONTHS,  Asia/Shanghai,     2024-12-31T23:00:00+08:00, PT1H",
        "MONTHS,  America/New_York,  2024-03-01T00:00:00-05:00, PT743H", // 31 days but an hour
        "YEARS,   UTC,               2024-01-01T00:00:00Z,      PT8784H", // 366 days
        "YEARS,   UTC,               2023-01-01T00:00:00Z,      PT8760H",
    })
    void ends(ChronoUnit unit, String zone, String from, Duration later) {
        Limiter limiter = Limiter.local(clock, Limit.fixedWindow(2, unit, ZoneId.of(zone)));
        long start = micros(from);
        clock.set(start);
        assertThat(limiter.decide(2).resetAfter()).isEqualTo(later);
        assertThat(limiter.decide(1).retryAfter()).isEqualTo(later);

        clock.set(start + later.toNanos() / 1000 - 1);
        assertThat(limiter.decide(1).allowed()).as("one microsecond before").isFalse();
        clock.advance(1);
        assertThat(limiter.decide(2).allowed()).as("then").isTrue();
        assertThat(limiter.decide(1).allowed()).isFalse();
    }

    @Test
    void aQuotaADayByTheCalendarAndNotByTheFirstRequest() {
        Limiter quota =
                Limiter.local(clock, Limit.fixedWindow(3, Duration.ofDays(1)).aligned(ZoneId.of("Asia/Shanghai")));
        assertThat(at("2024-05-01T23:00:00+08:00", quota, 3)).isTrue();
        assertThat(at("2024-05-01T23:59:59.999999+08:00", quota, 1)).isFalse();
        assertThat(at("2024-05-02T00:00:00+08:00", quota, 3)).isTrue();
        assertThat(at("2024-05-02T23:00:00+08:00", quota, 1)).isFalse();
    }

    @Test
    void aClockThatStepsBackOverMidnightStaysInTheNewDay() {
        Limiter quota = Limiter.local(clock, Limit.fixedWindow(3, ChronoUnit.DAYS, ZoneId.of("Asia/Shanghai")));
        assertThat(at("2024-05-02T00:00:10+08:00", quota, 2)).isTrue();
        clock.set(micros("2024-05-01T23:59:50+08:00"));
        Decision decision = quota.decide(2);
        assertThat(decision.allowed()).isFalse();
        assertThat(decision.remaining()).isEqualTo(1);
        assertThat(decision.retryAfter()).isEqualTo(Duration.ofHours(24).plusSeconds(10));
    }

    private boolean at(String time, Limiter limiter, long permits) {
        clock.set(micros(time));
        return limiter.decide(permits).allowed();
    }

    private static long micros(String time) {
        return ChronoUnit.MICROS.between(
                Instant.EPOCH, OffsetDateTime.parse(time).toInstant());
    }
}
