package dev.sluice.simulate.generate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Writes generated requests as the lines of a log. */
public final class LogLines implements LogSink {
    /** The names of the formats. */
    public static final List<String> FORMATS = List.of("combined", "common", "json", "csv");

    private static final DateTimeFormatter COMMON_TIME = DateTimeFormatter.ofPattern(
                    "dd/MMM/yyyy:HH:mm:ss '+0000'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter ISO_SECOND =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final OutputStream out;
    private final String format;
    private final DateTimeFormatter seconds;
    private final StringBuilder line = new StringBuilder(400);
    private long lastSecond = -1;
    private String second = "";
    private long lines;

    /**
     * Lines of a format.
     *
     * @throws IllegalArgumentException if there is no format of the name
     */
    public LogLines(OutputStream out, String format) throws IOException {
        if (!FORMATS.contains(format)) {
            throw new IllegalArgumentException(
                    "format must be one of " + String.join(", ", FORMATS) + ", was '" + format + "'");
        }
        this.out = out;
        this.format = format;
        this.seconds = format.equals("json") || format.equals("csv") ? ISO_SECOND : COMMON_TIME;
        if (format.equals("csv")) {
            out.write("time,ip,user,method,path,status,bytes,referer,user_agent\n".getBytes(UTF_8));
        }
    }

    /** How many lines were written. */
    public long lines() {
        return lines;
    }

    @Override
    public void accept(GeneratedRequest request) throws IOException {
        long at = Math.floorDiv(request.timeMicros(), 1_000_000L);
        if (at != lastSecond) {
            lastSecond = at;
            second = seconds.format(Instant.ofEpochSecond(at));
        }
        line.setLength(0);
        switch (format) {
            case "json" -> json(request);
            case "csv" -> csv(request);
            default -> text(request);
        }
        out.write(line.append('\n').toString().getBytes(UTF_8));
        lines++;
    }

    private void text(GeneratedRequest request) {
        line.append(request.ip()).append(" - ").append(request.user().isEmpty() ? "-" : request.user());
        line.append(" [").append(second).append("] \"");
        line.append(request.method()).append(' ').append(request.path()).append(" HTTP/1.1\" ");
        line.append(request.status()).append(' ').append(request.bytes());
        if (format.equals("combined")) {
            line.append(" \"").append(request.referer().isEmpty() ? "-" : request.referer());
            line.append("\" \"").append(request.agent()).append('"');
        }
    }

    private void json(GeneratedRequest request) {
        line.append("{\"time\":\"").append(second).append(millis(request)).append("Z\",\"ip\":\"");
        line.append(request.ip()).append("\",\"user\":");
        line.append(request.user().isEmpty() ? "null" : "\"" + request.user() + "\"");
        line.append(",\"method\":\"").append(request.method());
        line.append("\",\"path\":\"").append(request.path());
        line.append("\",\"status\":").append(request.status());
        line.append(",\"bytes\":").append(request.bytes());
        line.append(",\"referer\":\"").append(request.referer());
        line.append("\",\"user_agent\":\"").append(request.agent()).append("\"}");
    }

    private void csv(GeneratedRequest request) {
        line.append(second)
                .append(millis(request))
                .append("Z,")
                .append(request.ip())
                .append(',');
        line.append(request.user())
                .append(',')
                .append(request.method())
                .append(',')
                .append(request.path());
        line.append(',')
                .append(request.status())
                .append(',')
                .append(request.bytes())
                .append(',');
        line.append(request.referer()).append(",\"").append(request.agent()).append('"');
    }

    private static String millis(GeneratedRequest request) {
        long millis = Math.floorMod(request.timeMicros(), 1_000_000L) / 1000;
        return (millis < 10 ? ".00" : millis < 100 ? ".0" : ".") + millis;
    }
}
