package dev.sluice.simulate.log;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request of a log. It has the attributes that the reader was asked for; an attribute that the line does not have, or
 * has as {@code -}, is null.
 */
public final class LogEntry {
    /** The status of an entry whose line has none. */
    public static final int NO_STATUS = 0;

    private final LogAttributes attributes;
    private final @Nullable String[] values;
    private final long timeMicros;
    private final int status;
    private final long bytes;
    private final long durationMicros;

    /** An entry; {@code values} are those of {@code attributes}, in their order, and are not copied. */
    public LogEntry(
            LogAttributes attributes,
            @Nullable String[] values,
            long timeMicros,
            int status,
            long bytes,
            long durationMicros) {
        this.attributes = attributes;
        this.values = values;
        this.timeMicros = timeMicros;
        this.status = status;
        this.bytes = bytes;
        this.durationMicros = durationMicros;
    }

    /** When the request was logged, in microseconds since 1970. */
    public long timeMicros() {
        return timeMicros;
    }

    /** When the request was logged. */
    public Instant time() {
        return Instant.EPOCH.plus(timeMicros, ChronoUnit.MICROS);
    }

    /** The status of the response; {@link #NO_STATUS} if the line has none. */
    public int status() {
        return status;
    }

    /** The number of bytes of the response; 0 if the line has none. */
    public long bytes() {
        return bytes;
    }

    /** How long the request took, in microseconds; 0 if the line does not say. */
    public long durationMicros() {
        return durationMicros;
    }

    /** The address of the client. */
    public @Nullable String ip() {
        return attribute(LogAttributes.IP);
    }

    /** The name of the user. */
    public @Nullable String user() {
        return attribute(LogAttributes.USER);
    }

    /** The method of the request. */
    public @Nullable String method() {
        return attribute(LogAttributes.METHOD);
    }

    /** The host that was asked. */
    public @Nullable String host() {
        return attribute(LogAttributes.HOST);
    }

    /** The path of the request, as it was sent, without the query. */
    public @Nullable String path() {
        return attribute(LogAttributes.PATH);
    }

    /** The header Referer. */
    public @Nullable String referer() {
        return attribute(LogAttributes.REFERER);
    }

    /** The header User-Agent. */
    public @Nullable String agent() {
        return attribute(LogAttributes.AGENT);
    }

    /** The value of an attribute; null if the line has none, or if the reader was not asked for it. */
    public @Nullable String attribute(String name) {
        int index = attributes.indexOf(name);
        return index < 0 ? null : values[index];
    }

    /** The value of the attribute at {@code index} of the attributes that the reader was asked for. */
    public @Nullable String value(int index) {
        return values[index];
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(time().toString());
        for (int i = 0; i < values.length; i++) {
            text.append(' ').append(attributes.names().get(i)).append('=').append(values[i]);
        }
        return text.append(" status=").append(status).toString();
    }
}
