package dev.sluice.simulate.log.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeReaderTest {
    private static long micros(String text, ZoneId zone) {
        byte[] bytes = ("x" + text + "x").getBytes(UTF_8);
        return new TimeReader(zone).read(bytes, 1, bytes.length - 1);
    }

    @ParameterizedTest
    @CsvSource({
        "10/Oct/2026:13:55:36 -0700, 2026-10-10T20:55:36Z",
        "[10/Oct/2026:13:55:36 +0530], 2026-10-10T08:25:36Z",
        "29/Feb/2028:23:59:60 +0000, 2028-02-29T23:59:59Z",
        "2026-10-10T13:55:36+00:00, 2026-10-10T13:55:36Z",
        "2026-10-10T13:55:36.123456789Z, 2026-10-10T13:55:36.123456Z",
        "2026-10-10T13:55:36.5-0330, 2026-10-10T17:25:36.5Z",
        "'2026-10-10 13:55:36', 2026-10-10T13:55:36Z",
        "'2026-10-10 13:55:36,250', 2026-10-10T13:55:36.250Z",
        "1791640536, 2026-10-10T13:55:36Z",
        "1791640536.123, 2026-10-10T13:55:36.123Z",
        "1791640536123, 2026-10-10T13:55:36.123Z",
        "1791640536123456, 2026-10-10T13:55:36.123456Z",
        "1791640536123456789, 2026-10-10T13:55:36.123456Z",
        "100000000, 1973-03-03T09:46:40Z",
    })
    void timesAreReadInTheWaysOfLogs(String text, Instant expected) {
        assertThat(micros(text, ZoneOffset.UTC)).isEqualTo(ChronoUnit.MICROS.between(Instant.EPOCH, expected));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "now",
                "31/Feb/2026:00:00:00 +0000",
                "10/Okt/2026:13:55:36 +0000",
                "10/Oct/1969:13:55:36 +0000",
                "10/Oct/2026:24:00:00 +0000",
                "10/Oct/2026:13:55:36 +9900",
                "10/Oct/2026:13:55:36 0000x",
                "2026-13-01T00:00:00Z",
                "2026-10-10T13:55:36Zjunk",
                "2026-10-10T13:55:36.Z",
                "12345678901234567890",
                "1791640536.",
                "0.003",
                "0",
                "-5",
            })
    void whatIsNoTimeIsWrong(String text) {
        assertThat(micros(text, ZoneOffset.UTC)).isEqualTo(TimeReader.WRONG);
    }

    @Test
    void oneTimeAfterAnotherIsReadForItself() {
        TimeReader reader = new TimeReader(ZoneOffset.UTC);
        byte[] line = "2026-10-10T13:55:36Z".getBytes(UTF_8);
        long first = reader.read(line, 0, line.length);
        assertThat(reader.read(line, 0, line.length)).isEqualTo(first);
        line[18] = '7';
        assertThat(reader.read(line, 0, line.length)).isEqualTo(first + 1_000_000);
        line[18] = 'x';
        assertThat(reader.read(line, 0, line.length)).isEqualTo(TimeReader.WRONG);
        assertThat(reader.read(line, 0, 0)).isEqualTo(TimeReader.WRONG);
        line[18] = '6';
        assertThat(reader.read(line, 0, line.length)).isEqualTo(first);
    }

    @Test
    void timesWithoutZoneAreThoseOfTheZoneThatIsGiven() {
        long summer = micros("2026-07-01T12:00:00", ZoneId.of("Europe/Berlin"));
        long winter = micros("2026-12-01T12:00:00", ZoneId.of("Europe/Berlin"));
        assertThat(summer).isEqualTo(micros("2026-07-01T10:00:00Z", ZoneOffset.UTC));
        assertThat(winter).isEqualTo(micros("2026-12-01T11:00:00Z", ZoneOffset.UTC));
    }
}
