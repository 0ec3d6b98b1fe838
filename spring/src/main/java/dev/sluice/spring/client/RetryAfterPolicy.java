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
 * Whether and when to try again, by what a server said.
 *
 * <p>Only a server that names a time is tried again: 429 says that nothing was done, so any request may be sent again;
 * after 503 only one that may be done twice. One whose time is longer than {@code longest} is not waited for. Up to a
 * tenth is added to the wait, so that those who were turned away together do not come back together.
 *
 * @param tries how often a request is sent at most
 * @param longest the longest wait between two of them
 */
record RetryAfterPolicy(int tries, Duration longest) {
    static final RetryAfterPolicy USUAL = new RetryAfterPolicy(3, Duration.ofSeconds(30));

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE");

    /** How long to wait before the next try; null if there is to be none. */
    @Nullable
    Duration wait(int tried, String method, int status, @Nullable String header) {
        boolean again = status == TOO_MANY_REQUESTS || (status == UNAVAILABLE && REPEATABLE.contains(method));
        Duration named = again && tried < tries && header != null ? parse(header.trim(), Instant.now()) : null;
        if (named == null || named.compareTo(longest) > 0) {
            return null;
        }
        long jitterNanos = named.toNanos() / 10 + 1_000_000;
        return named.plusNanos(ThreadLocalRandom.current().nextLong(jitterNanos));
    }

    /** Seconds, or a date; null if it is neither. */
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
