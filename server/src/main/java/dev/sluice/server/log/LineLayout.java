package dev.sluice.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * A line of the log as pairs, whatever is in the message:
 *
 * <pre>time=2026-01-01T00:00:00.000Z level=info event=started port=8080 rules=3</pre>
 */
final class LineLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder line = new StringBuilder("time=")
                .append(TIME.format(Instant.ofEpochMilli(event.getTimeStamp())))
                .append(" level=")
                .append(level(event.getLevel()));
        if (event.getLoggerName().equals(ServerLog.EVENTS)) {
            line.append(" event=").append(value(event.getFormattedMessage()));
        } else {
            line.append(" event=log logger=").append(value(event.getLoggerName()));
            line.append(" message=").append(value(String.valueOf(event.getFormattedMessage())));
        }
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            pairs.forEach(
                    pair -> line.append(' ').append(pair.key).append('=').append(value(String.valueOf(pair.value))));
        }
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            String message = thrown.getMessage();
            line.append(" error=").append(value(thrown.getClassName() + (message == null ? "" : ": " + message)));
            if (thrown.getStackTraceElementProxyArray().length > 0) {
                line.append(" at=")
                        .append(value(thrown.getStackTraceElementProxyArray()[0]
                                .getStackTraceElement()
                                .toString()));
            }
        }
        return line.append('\n').toString();
    }

    private static String level(Level level) {
        return level.isGreaterOrEqual(Level.ERROR) ? "error" : level.isGreaterOrEqual(Level.WARN) ? "warn" : "info";
    }

    /** A value as it is if it is one word, and else in quotes and on one line. */
    static String value(String text) {
        boolean plain = !text.isEmpty();
        for (int i = 0; plain && i < text.length(); i++) {
            char c = text.charAt(i);
            plain = c > ' ' && c != '"' && c != '=' && !Character.isISOControl(c);
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
}
