package dev.sluice.server.envoy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The units of time that Envoy knows. A month is 30 days and a year 365, counted from 1970 as all are. */
enum Unit {
    SECOND(Duration.ofSeconds(1), RateLimit.Unit.SECOND),
    MINUTE(Duration.ofMinutes(1), RateLimit.Unit.MINUTE),
    HOUR(Duration.ofHours(1), RateLimit.Unit.HOUR),
    DAY(Duration.ofDays(1), RateLimit.Unit.DAY),
    WEEK(Duration.ofDays(7), RateLimit.Unit.WEEK),
    MONTH(Duration.ofDays(30), RateLimit.Unit.MONTH),
    YEAR(Duration.ofDays(365), RateLimit.Unit.YEAR);

    private final Duration period;
    private final RateLimit.Unit message;

    Unit(Duration period, RateLimit.Unit message) {
        this.period = period;
        this.message = message;
    }

    Duration period() {
        return period;
    }

    long micros() {
        return period.toSeconds() * 1_000_000;
    }

    /** The same in an answer. */
    RateLimit.Unit message() {
        return message;
    }

    /** As in a file, in capitals or not. */
    static @Nullable Unit named(String name) {
        for (Unit unit : values()) {
            if (unit.name().equals(name.toUpperCase(Locale.ROOT))) {
                return unit;
            }
        }
        return null;
    }

    /** As in a request. */
    static @Nullable Unit of(RateLimitUnit unit) {
        return named(unit.name());
    }

    /** The one that lasts as long. */
    static @Nullable Unit lasting(Duration period) {
        for (Unit unit : values()) {
            if (unit.period.equals(period)) {
                return unit;
            }
        }
        return null;
    }

    /** All of them, as in a file. */
    static String names() {
        return Arrays.stream(values())
                .map(unit -> unit.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }
}
