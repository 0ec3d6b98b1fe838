package dev.sluice.server;

import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/**
 * The log of the server: one line for each event, as pairs that programs and people can read.
 *
 * <pre>time=2026-01-01T00:00:00.000Z level=info event=started port=8080 rules=3</pre>
 *
 * The messages of libraries have the same form.
 */
public final class Log {
    private static final Logger LOGGER = Logger.getLogger("dev.sluice.server.events");
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** Libraries that log too much; kept here, since a logger without a reference to it forgets its level. */
    private static final List<Logger> VERBOSE = List.of(Logger.getLogger("io.lettuce"), Logger.getLogger("io.netty"));

    private static volatile @Nullable Handler lines;

    private Log() {}

    /** Sends every line to {@code out} from now on, and nowhere else. */
    public static void to(PrintStream out) {
        LogManager.getLogManager().reset();
        Handler handler = new Lines(out);
        VERBOSE.forEach(logger -> logger.setLevel(Level.WARNING));
        Logger.getLogger("").setLevel(Level.INFO);
        Logger.getLogger("").addHandler(handler);
        lines = handler;
    }

    /** Logs an event, with names and values in turn. */
    public static void info(String event, Object... pairs) {
        log(Level.INFO, line(event, pairs));
    }

    /** Logs a warning, with names and values in turn. */
    public static void warn(String event, Object... pairs) {
        log(Level.WARNING, line(event, pairs));
    }

    /** Publishes to the handler directly, since the JDK's logging ends before the process does. */
    private static void log(Level level, String line) {
        LogRecord record = new LogRecord(level, line);
        record.setLoggerName(LOGGER.getName());
        Handler handler = lines;
        if (handler == null) {
            LOGGER.log(record);
        } else {
            handler.publish(record);
        }
    }

    private static String line(String event, Object... pairs) {
        StringBuilder line = new StringBuilder("event=").append(event);
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            line.append(' ').append(pairs[i]).append('=').append(value(String.valueOf(pairs[i + 1])));
        }
        return line.toString();
    }

    /** A value as it is if it is one word, and else in quotes and on one line. */
    static String value(String text) {
        boolean plain = !text.isEmpty();
        for (int i = 0; plain && i < text.length(); i++) {
            char c = text.charAt(i);
            plain = c > ' ' && c != '"' && c != '=' && c != 0x7f;
        }
        if (plain) {
            return text;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (Character.isISOControl(c)) {
                quoted.append(c == '\n' ? "\\n" : String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** Writes records as lines. Does not close the stream. */
    private static final class Lines extends Handler {
        private final PrintStream out;
        private final SimpleFormatter formatter = new SimpleFormatter();

        Lines(PrintStream out) {
            this.out = out;
        }

        @Override
        public void publish(LogRecord record) {
            if (isLoggable(record)) {
                out.print(format(record));
                out.flush();
            }
        }

        @Override
        public void flush() {
            out.flush();
        }

        @Override
        public void close() {}

        private String format(LogRecord record) {
            StringBuilder line = new StringBuilder("time=")
                    .append(TIME.format(Instant.ofEpochMilli(record.getMillis())))
                    .append(" level=")
                    .append(level(record.getLevel()))
                    .append(' ');
            String message = formatter.formatMessage(record);
            if (LOGGER.getName().equals(record.getLoggerName())) {
                line.append(message);
            } else {
                line.append("event=log logger=")
                        .append(value(String.valueOf(record.getLoggerName())))
                        .append(" message=")
                        .append(value(message));
            }
            if (record.getThrown() != null) {
                line.append(" error=").append(value(String.valueOf(record.getThrown())));
                StackTraceElement[] trace = record.getThrown().getStackTrace();
                if (trace.length > 0) {
                    line.append(" at=").append(value(trace[0].toString()));
                }
            }
            return line.append('\n').toString();
        }

        private static String level(Level level) {
            int value = level.intValue();
            return value >= Level.SEVERE.intValue() ? "error" : value >= Level.WARNING.intValue() ? "warn" : "info";
        }
    }
}
