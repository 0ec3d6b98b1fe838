package dev.sluice.client;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads when a server wants to be asked again: {@code Retry-After}, in seconds or as a date; or else, from a 429, the longest
 * {@code t} in {@code RateLimit} of a policy of which nothing remains.
 *
 * <p>A date is compared with the server's own {@code Date}, so that a wrong clock on this side does not matter.
 */
final class RetryAfter {
    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");
    /** Possessive, so that it needs no more of the stack for a long field than for a short one. */
    private static final Pattern POLICY = Pattern.compile(
            "(?:\"(?:[^\"\\\\]|\\\\.)*+\"|[^\\s,;\"]++)((?:\\s*+;\\s*+[^,;\"]*+(?:\"(?:[^\"\\\\]|\\\\.)*+\")?+)*+)");

    private static final Pattern REMAINING = Pattern.compile(";\\s*r=(\\d{1,15})\\s*(?=;|$)");
    private static final Pattern TIME = Pattern.compile(";\\s*t=(\\d{1,9})\\s*(?=;|$)");
    /** The other two forms that a recipient has to read (RFC 9110, 5.6.7). */
    private static final DateTimeFormatter RFC_850 = new DateTimeFormatterBuilder()
            .appendPattern("EEEE, dd-MMM-")
            .appendValueReduced(ChronoField.YEAR, 2, 2, 2000)
            .appendPattern(" HH:mm:ss 'GMT'")
            .toFormatter(Locale.ENGLISH);

    private static final DateTimeFormatter ASCTIME =
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH);

    private RetryAfter() {}

    /** How long the server wants us to wait; null if it does not say, or in a way that cannot be read. */
    static @Nullable Duration of(int status, Function<String, List<String>> header) {
        List<String> values = header.apply("Retry-After");
        if (values.size() == 1) {
            return parse(values.get(0).trim(), now(header));
        }
        return values.isEmpty() && status == 429 ? rateLimit(String.join(",", header.apply("RateLimit"))) : null;
    }

    private static Instant now(Function<String, List<String>> header) {
        List<String> dates = header.apply("Date");
        Instant date = dates.size() == 1 ? date(dates.get(0).trim()) : null;
        return date == null ? Instant.now() : date;
    }

    static @Nullable Duration parse(String text, Instant now) {
        if (SECONDS.matcher(text).matches()) {
            return Duration.ofSeconds(Long.parseLong(text));
        }
        Instant then = date(text);
        if (then == null) {
            return null;
        }
        Duration left = Duration.between(now, then);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private static @Nullable Instant date(String text) {
        try {
            if (text.indexOf(',') == 3) {
                return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
            }
            return LocalDateTime.parse(text, text.indexOf(',') > 0 ? RFC_850 : ASCTIME)
                    .toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            return null;
        }
    }

    static @Nullable Duration rateLimit(String field) {
        Duration longest = null;
        Matcher policies = POLICY.matcher(field);
        while (policies.find()) {
            Matcher remaining = REMAINING.matcher(policies.group(1));
            Matcher time = TIME.matcher(policies.group(1));
            if (remaining.find() && time.find() && Long.parseLong(remaining.group(1)) == 0) {
                Duration wait = Duration.ofSeconds(Long.parseLong(time.group(1)));
                longest = longest == null || wait.compareTo(longest) > 0 ? wait : longest;
            }
        }
        return longest;
    }
}
