package dev.sluice;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An amount of memory as text: {@code 256MB} (of 1024 each), or a part of the largest heap that the JVM
 * may use, such as {@code 25%}.
 */
public final class MemorySize {
    /** What a text should look like. */
    public static final String EXPECTED = "a size such as 256MB or 2GB, or a part of the heap such as 25%";

    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\s*(%|B|KB|MB|GB)");

    private MemorySize() {}

    /**
     * The number of bytes.
     *
     * @throws IllegalArgumentException if the text is not an amount of memory of at least 1 byte, or is above 100%
     */
    public static long parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip().toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("expected " + EXPECTED + ", was '" + text + "'");
        }
        long number = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2);
        if (number == 0) {
            throw new IllegalArgumentException("expected more than nothing, was '" + text + "'");
        }
        if (unit.equals("%")) {
            if (number > 100) {
                throw new IllegalArgumentException("expected at most 100%, was '" + text + "'");
            }
            long heap = Runtime.getRuntime().maxMemory();
            return Math.max(1, heap / 100 * number + heap % 100 * number / 100);
        }
        return number
                << switch (unit) {
                    case "KB" -> 10;
                    case "MB" -> 20;
                    case "GB" -> 30;
                    default -> 0;
                };
    }
}
