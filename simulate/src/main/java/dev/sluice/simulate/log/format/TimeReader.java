package dev.sluice.simulate.log.format;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;

/**
 * Reads times in the ways that logs write them. It keeps the day that it read last, and is for one thread.
 *
 * <pre>
 *   10/Oct/2026:13:55:36 -0700      nginx and Apache
 *   2026-10-10T13:55:36.123Z        ISO 8601; +07:00, +0700 or no zone, a blank in place of the T
 *   1791629736.123                  seconds since 1970; more digits are milli-, micro- or nanoseconds
 * </pre>
 */
final class TimeReader {
    /** What stands for a time that cannot be read. */
    static final long WRONG = Long.MIN_VALUE;

    private static final long MICROS = 1_000_000;
    private static final int MAX_YEAR = 2200;
    /** Fewer digits are rather the duration of a request than a time, which would be before 1973. */
    private static final int MIN_DIGITS = 9;

    private static final int MAX_KEPT = 32;

    private final ZoneId zone;
    /** The text that was read last: many lines of a log have the same. */
    private final byte[] lastText = new byte[MAX_KEPT];

    private int lastLength;
    private long lastMicros = WRONG;
    private int lastDate;
    private long lastDay = WRONG;

    private byte[] bytes = new byte[0];
    private int at;
    private int end;

    /** A reader that takes times without a zone as those of {@code zone}. */
    TimeReader(ZoneId zone) {
        this.zone = zone;
    }

    /** The time in microseconds since 1970; {@link #WRONG} if it is none from 1970 to 2200. */
    long read(byte[] source, int from, int to) {
        int length = to - from;
        if (length == lastLength && Arrays.equals(lastText, 0, length, source, from, to)) {
            return lastMicros;
        }
        long micros = parse(source, from, to);
        if (length <= MAX_KEPT) {
            System.arraycopy(source, from, lastText, 0, length);
            lastLength = length;
            lastMicros = micros;
        }
        return micros;
    }

    private long parse(byte[] source, int from, int to) {
        bytes = source;
        at = from;
        end = to;
        if (at < end && bytes[at] == '[') {
            at++;
            end -= bytes[end - 1] == ']' ? 1 : 0;
        }
        if (end - at >= 20 && bytes[at + 2] == '/') {
            return common();
        }
        if (end - at >= 19 && bytes[at + 4] == '-') {
            return iso();
        }
        return sinceEpoch();
    }

    private long common() {
        int day = digits(2);
        int month = at + 4 < end && bytes[at] == '/' && bytes[at + 4] == '/' ? month(at + 1) : -1;
        at += 5;
        int year = digits(4);
        if (!take(':')) {
            return WRONG;
        }
        long seconds = clock();
        long dayMicros = day(year, month, day);
        if (seconds < 0 || dayMicros == WRONG || !take(' ')) {
            return WRONG;
        }
        return zoned(dayMicros + seconds * MICROS);
    }

    private long iso() {
        int year = digits(4);
        if (!take('-')) {
            return WRONG;
        }
        int month = digits(2);
        if (!take('-')) {
            return WRONG;
        }
        int day = digits(2);
        if (!take('T') && !take(' ')) {
            return WRONG;
        }
        long seconds = clock();
        long dayMicros = day(year, month, day);
        if (seconds < 0 || dayMicros == WRONG) {
            return WRONG;
        }
        long fraction = take('.') || take(',') ? fraction() : 0;
        return fraction < 0 ? WRONG : zoned(dayMicros + seconds * MICROS + fraction);
    }

    /** {@code 13:55:36} as seconds; -1 if it is no time of a day. A leap second is the last of its minute. */
    private long clock() {
        int hour = digits(2);
        if (!take(':')) {
            return -1;
        }
        int minute = digits(2);
        if (!take(':')) {
            return -1;
        }
        int second = digits(2);
        boolean right = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
        return right ? hour * 3600L + minute * 60L + Math.min(second, 59) : -1;
    }

    private long fraction() {
        long micros = 0;
        int count = 0;
        while (at < end && isDigit(bytes[at])) {
            micros = count < 6 ? micros * 10 + bytes[at] - '0' : micros;
            count++;
            at++;
        }
        for (int i = count; i < 6; i++) {
            micros *= 10;
        }
        return count == 0 ? -1 : micros;
    }

    /** The time less the zone that follows. */
    private long zoned(long localMicros) {
        if (at == end) {
            return local(localMicros);
        }
        if (take('Z')) {
            return at == end ? localMicros : WRONG;
        }
        int sign = take('+') ? 1 : take('-') ? -1 : 0;
        int hours = digits(2);
        if (hours >= 0) {
            take(':');
        }
        int minutes = at == end ? 0 : digits(2);
        if (sign == 0 || hours < 0 || hours > 18 || minutes < 0 || minutes > 59 || at != end) {
            return WRONG;
        }
        return localMicros - sign * (hours * 3600L + minutes * 60L) * MICROS;
    }

    private long local(long localMicros) {
        long seconds = Math.floorDiv(localMicros, MICROS);
        LocalDateTime local = LocalDateTime.of(
                LocalDate.ofEpochDay(Math.floorDiv(seconds, 86_400L)),
                LocalTime.ofSecondOfDay(Math.floorMod(seconds, 86_400L)));
        return local.atZone(zone).toEpochSecond() * MICROS + Math.floorMod(localMicros, MICROS);
    }

    private long sinceEpoch() {
        long whole = 0;
        int count = 0;
        while (at < end && isDigit(bytes[at]) && count < 19) {
            whole = whole * 10 + bytes[at++] - '0';
            count++;
        }
        long fraction = take('.') ? fraction() : 0;
        if (count < MIN_DIGITS || at != end || fraction < 0) {
            return WRONG;
        }
        long micros = count <= 10
                ? whole * MICROS + fraction
                : count <= 13 ? whole * 1000 + fraction / 1000 : count <= 16 ? whole : whole / 1000;
        return micros < MAX_YEAR * 366L * 86_400L * MICROS ? checked(micros) : WRONG;
    }

    private static long checked(long micros) {
        return micros >= 0 && micros < (MAX_YEAR - 1970) * 365L * 86_400L * MICROS ? micros : WRONG;
    }

    /** The start of a day in UTC; {@link #WRONG} if there is no such day. */
    private long day(int year, int month, int day) {
        int date = year << 9 | month << 5 | day;
        if (date == lastDate && lastDay != WRONG) {
            return lastDay;
        }
        if (year < 1970 || year >= MAX_YEAR || month < 1 || day < 1) {
            return WRONG;
        }
        try {
            lastDay = LocalDate.of(year, month, day).toEpochDay() * 86_400L * MICROS;
        } catch (DateTimeException e) {
            return WRONG;
        }
        lastDate = date;
        return lastDay;
    }

    /** The month of three letters at {@code from}; -1 if there is none. */
    private int month(int from) {
        int letters = (bytes[from] | 0x20) << 16 | (bytes[from + 1] | 0x20) << 8 | (bytes[from + 2] | 0x20);
        return switch (letters) {
            case 'j' << 16 | 'a' << 8 | 'n' -> 1;
            case 'f' << 16 | 'e' << 8 | 'b' -> 2;
            case 'm' << 16 | 'a' << 8 | 'r' -> 3;
            case 'a' << 16 | 'p' << 8 | 'r' -> 4;
            case 'm' << 16 | 'a' << 8 | 'y' -> 5;
            case 'j' << 16 | 'u' << 8 | 'n' -> 6;
            case 'j' << 16 | 'u' << 8 | 'l' -> 7;
            case 'a' << 16 | 'u' << 8 | 'g' -> 8;
            case 's' << 16 | 'e' << 8 | 'p' -> 9;
            case 'o' << 16 | 'c' << 8 | 't' -> 10;
            case 'n' << 16 | 'o' << 8 | 'v' -> 11;
            case 'd' << 16 | 'e' << 8 | 'c' -> 12;
            default -> -1;
        };
    }

    /** A number of so many digits; -1 if they are not there. */
    private int digits(int count) {
        if (at + count > end) {
            return -1;
        }
        int number = 0;
        for (int i = 0; i < count; i++) {
            byte digit = bytes[at++];
            if (!isDigit(digit)) {
                return -1;
            }
            number = number * 10 + digit - '0';
        }
        return number;
    }

    private boolean take(char expected) {
        boolean there = at < end && bytes[at] == expected;
        at += there ? 1 : 0;
        return there;
    }

    private static boolean isDigit(byte letter) {
        return letter >= '0' && letter <= '9';
    }
}
