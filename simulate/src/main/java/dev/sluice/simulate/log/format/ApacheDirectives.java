package dev.sluice.simulate.log.format;

import dev.sluice.simulate.log.LogAttributes;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The directives of Apache's LogFormat, as columns. */
final class ApacheDirectives {
    private ApacheDirectives() {}

    /** The column of {@code %{argument}letter}; null if Apache has no such directive. */
    static @Nullable Column column(char letter, String argument) {
        return switch (letter) {
            case 'a', 'h' -> Column.text(LogAttributes.IP);
            case 'u' -> Column.text(LogAttributes.USER);
            case 't' -> Column.TIME;
            case 'r' -> Column.REQUEST;
            case 'U' -> Column.PATH;
            case 'm' -> Column.text(LogAttributes.METHOD);
            case 'v', 'V' -> Column.text(LogAttributes.HOST);
            case 's' -> Column.STATUS;
            case 'b', 'B', 'O' -> Column.BYTES;
            case 'D' -> Column.duration(Column.Kind.MICROS);
            case 'T' ->
                Column.duration(
                        switch (argument) {
                            case "ms" -> Column.Kind.MILLIS;
                            case "us" -> Column.Kind.MICROS;
                            default -> Column.Kind.SECONDS;
                        });
            case 'i' -> argument.isEmpty() ? null : Column.text("header." + argument.toLowerCase(Locale.ROOT));
            case 'C', 'e', 'n', 'o' -> argument.isEmpty() ? null : Column.text(argument.toLowerCase(Locale.ROOT));
            case 'A', 'f', 'H', 'I', 'k', 'l', 'L', 'p', 'P', 'q', 'R', 'S', 'X' -> Column.NONE;
            default -> null;
        };
    }
}
