package dev.sluice.spring.client;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Whether and when to send a call again that a server has refused.
 *
 * <p>The server must name a time in {@code Retry-After}. After 429 any call may be sent again, because the server has not
 * run it; after 503 only a call with an idempotent method. Up to a tenth is added to the time, so that clients that were
 * refused together do not come back together.
 */
final class RetryAfterPolicy {
    private static final int MAX_TRIES = 3;
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE");

    private RetryAfterPolicy() {}

    /** How long to wait before the next try; null if there is none. */
    static @Nullable Duration wait(int tried, String method, int status, @Nullable String header) {
        boolean again = status == TOO_MANY_REQUESTS || (status == UNAVAILABLE && IDEMPOTENT.contains(method));
        Duration named = again && tried < MAX_TRIES && header != null ? parse(header.trim(), Instant.now()) : null;
        if (named == null || named.compareTo(MAX_WAIT) > 0) {
            return null;
        }
        long jitterNanos = named.toNanos() / 10 + 1_000_000;
        return named.plusNanos(ThreadLocalRandom.current().nextLong(jitterNanos));
    }

    /** Reads seconds or a date; null if the text is neither. */
    static @Nullable Duration parse(String header, Instant now) {
        if (header.matches("\\d{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(header));
        }
        try {
            Instant then = ZonedDateTime.parse(header, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            Duration left = Duration.between(now, then);
            return left.isNegative() ? Duration.ZERO : left;
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
