package dev.sluice.server.envoy.file;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Envoy's units of time, counted from 1970. A month is 30 days, a year 365. */
public enum EnvoyUnit {
    SECOND(Duration.ofSeconds(1), RateLimit.Unit.SECOND),
    MINUTE(Duration.ofMinutes(1), RateLimit.Unit.MINUTE),
    HOUR(Duration.ofHours(1), RateLimit.Unit.HOUR),
    DAY(Duration.ofDays(1), RateLimit.Unit.DAY),
    WEEK(Duration.ofDays(7), RateLimit.Unit.WEEK),
    MONTH(Duration.ofDays(30), RateLimit.Unit.MONTH),
    YEAR(Duration.ofDays(365), RateLimit.Unit.YEAR);

    private final Duration period;
    private final RateLimit.Unit message;

    EnvoyUnit(Duration period, RateLimit.Unit message) {
        this.period = period;
        this.message = message;
    }

    /** Its length. */
    public Duration period() {
        return period;
    }

    /** Its length in microseconds. */
    public long micros() {
        return period.toSeconds() * 1_000_000;
    }

    /** The same as a part of the response. */
    RateLimit.Unit message() {
        return message;
    }

    /** The one with this name in a file, in any case. */
    static @Nullable EnvoyUnit named(String name) {
        for (EnvoyUnit unit : values()) {
            if (unit.name().equals(name.toUpperCase(Locale.ROOT))) {
                return unit;
            }
        }
        return null;
    }

    /** The one of a request. */
    public static @Nullable EnvoyUnit of(RateLimitUnit unit) {
        return named(unit.name());
    }

    /** The one of this length. */
    public static @Nullable EnvoyUnit lasting(Duration period) {
        for (EnvoyUnit unit : values()) {
            if (unit.period.equals(period)) {
                return unit;
            }
        }
        return null;
    }

    /** All names, as in a file. */
    static String names() {
        return Arrays.stream(values())
                .map(unit -> unit.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }
}
