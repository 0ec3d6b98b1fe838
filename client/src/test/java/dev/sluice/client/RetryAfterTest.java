package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "0                                | PT0S",
                "120                              | PT2M",
                "999999999                        | PT277777H46M39S",
                "Thu, 01 Jan 2026 00:00:30 GMT    | PT30S",
                "Thu, 1 Jan 2026 00:00:30 GMT     | PT30S",
                "Wed, 31 Dec 2025 00:00:00 GMT    | PT0S",
                "Thursday, 01-Jan-26 00:00:30 GMT | PT30S",
                "Thu Jan  1 00:00:30 2026         | PT30S",
                "9999999999                       |",
                "-1                               |",
                "1.5                              |",
                "soon                             |",
                "5, 10                            |",
                "Thu, 01 Jan 2026                 |",
                "Fri, 01 Jan 2026 00:00:30 GMT    |",
                "2026-01-01T00:00:30Z             |",
                "``                               |",
            })
    void retryAfterIsSecondsOrADate(String text, @Nullable Duration wait) {
        assertThat(RetryAfter.parse(text, NOW)).isEqualTo(wait);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"login\";r=0;t=60                          | PT1M",
                "\"a\";r=0;t=5, \"b\";r=0;t=60, \"c\";r=3;t=900 | PT1M",
                "\"a\" ; r=0 ; t=5                           | PT5S",
                "\"a\";t=5;r=0                               | PT5S",
                "\"a,b;r=0;t=9\";r=0;t=5                     | PT5S",
                "\"a\\\";r=0;t=9\";r=2;t=5                   |",
                "default;r=0;t=5                             | PT5S",
                "\"a\";pk=\"x;t=7\";r=0;t=5                  | PT5S",
                "\"a\";r=1;t=60                              |",
                "\"a\";r=0                                   |",
                "\"a\";r=0;t=soon                            |",
                "\"a\";xr=0;xt=3                             |",
                "limit=10, remaining=0, reset=5              |",
                "``                                          |",
            })
    void rateLimitSaysWhenSomethingRemainsAgain(String field, @Nullable Duration wait) {
        assertThat(RetryAfter.rateLimit(field)).isEqualTo(wait);
    }

    /** A server may send anything; the JDK takes fields of hundreds of kilobytes. */
    @ParameterizedTest
    @ValueSource(ints = {2_000, 300_000})
    void aLongFieldIsReadLikeAShortOne(int length) {
        String name = '"' + "a".repeat(length) + '"';
        assertThat(RetryAfter.rateLimit(name + ";r=0;t=5")).isEqualTo(Duration.ofSeconds(5));
        assertThat(RetryAfter.rateLimit("a" + ";b".repeat(length / 2) + ";r=0;t=5"))
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(RetryAfter.rateLimit("a;pk=" + name + ";r=0;t=5")).isEqualTo(Duration.ofSeconds(5));
        assertThat(RetryAfter.rateLimit("a;r=0;t=5" + ",a".repeat(length / 2))).isEqualTo(Duration.ofSeconds(5));
        assertThat(RetryAfter.rateLimit('"' + "\\".repeat(length))).isNull();
        assertThat(RetryAfter.parse("1".repeat(length), NOW)).isNull();
        assertThat(RetryAfter.parse("Thu, " + " ".repeat(length), NOW)).isNull();
    }

    @Test
    void retryAfterGoesBeforeRateLimit() {
        Map<String, List<String>> both = Map.of("Retry-After", List.of("7"), "RateLimit", List.of("\"a\";r=0;t=60"));
        assertThat(RetryAfter.of(429, name -> both.getOrDefault(name, List.of())))
                .isEqualTo(Duration.ofSeconds(7));
        Map<String, List<String>> one = Map.of("RateLimit", List.of("\"a\";r=0;t=60", "\"b\";r=0;t=70"));
        assertThat(RetryAfter.of(429, name -> one.getOrDefault(name, List.of())))
                .isEqualTo(Duration.ofSeconds(70));
        assertThat(RetryAfter.of(503, name -> one.getOrDefault(name, List.of())))
                .isNull();
        Map<String, List<String>> twice =
                Map.of("Retry-After", List.of("7", "8"), "RateLimit", List.of("\"a\";r=0;t=6"));
        assertThat(RetryAfter.of(429, name -> twice.getOrDefault(name, List.of())))
                .isNull();
    }

    @Test
    void aDateIsComparedWithTheServersOwnClock() {
        Map<String, List<String>> wrongClock = Map.of(
                "Date",
                List.of("Mon, 01 Jan 2001 00:00:00 GMT"),
                "Retry-After",
                List.of("Mon, 01 Jan 2001 00:00:09 GMT"));
        assertThat(RetryAfter.of(503, name -> wrongClock.getOrDefault(name, List.of())))
                .isEqualTo(Duration.ofSeconds(9));
    }
}
