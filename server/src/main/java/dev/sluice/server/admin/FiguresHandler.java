package dev.sluice.server.admin;

import dev.sluice.server.history.Availability;
import dev.sluice.server.history.Column;
import dev.sluice.server.history.History;
import dev.sluice.server.history.HistoryRecorder;
import dev.sluice.server.history.Quantiles;
import dev.sluice.server.history.Row;
import dev.sluice.server.metrics.CheckLatency;
import dev.sluice.server.web.HttpProblem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** {@code /v1/history}: counts over time; {@code /v1/figures}: throughput, response time, concurrency, availability. */
final class FiguresHandler {
    static final List<Column> OF_A_RULE = List.of(
            Column.ALLOWED,
            Column.DENIED,
            Column.SHADOWED,
            Column.WAITED,
            Column.SHED,
            Column.DEGRADED,
            Column.NEVER,
            Column.FAILED);

    private static final List<Column> OF_REQUESTS = List.of(
            Column.ALLOWED,
            Column.DENIED,
            Column.WAITED,
            Column.DEGRADED,
            Column.FAILED,
            Column.UNMATCHED,
            Column.ERRORS);
    private static final int NOW_SECONDS = 3;
    private static final int MINUTE = 60;

    /** The windows of the availability. */
    static final Map<String, Duration> WINDOWS = windows();

    private final HistoryRecorder recorder;
    private final double target;

    FiguresHandler(HistoryRecorder recorder, double target) {
        this.recorder = recorder;
        this.target = target;
    }

    private static Map<String, Duration> windows() {
        Map<String, Duration> windows = new LinkedHashMap<>();
        windows.put("1h", Duration.ofHours(1));
        windows.put("24h", Duration.ofHours(24));
        windows.put("30d", Duration.ofDays(30));
        return windows;
    }

    // ---- History

    JsonObject history(@Nullable String rule, @Nullable String span) {
        boolean day = "24h".equals(span);
        if (!day && span != null && !span.equals("15m")) {
            throw AdminRequest.badRequest("span must be 15m or 24h, was " + HttpProblem.quoted(span));
        }
        if ("*".equals(rule)) {
            return totals(day);
        }
        History history = recorder.history();
        long end = recorder.settled();
        History.Series series;
        if (rule == null) {
            series = day ? history.minutes(Row.REQUESTS) : history.seconds(Row.REQUESTS, end);
        } else {
            series = day ? history.minutes(rule) : history.seconds(rule, end);
        }
        JsonObject columns = new JsonObject();
        for (Column column : rule == null ? OF_REQUESTS : OF_A_RULE) {
            JsonArray values = new JsonArray();
            for (long[] counts : series.counts()) {
                values.add(counts == null ? null : History.at(counts, column.index()));
            }
            columns.put(column.text(), values);
        }
        return new JsonObject()
                .put("from", series.from())
                .put("step", series.step())
                .put("count", series.counts().size())
                .put("servers", servers())
                .put("series", columns);
    }

    private JsonObject totals(boolean day) {
        History history = recorder.history();
        Map<String, long[]> byRule = day ? history.rulesOfDay() : history.rules(History.SECONDS);
        JsonObject rules = new JsonObject();
        byRule.forEach((rule, counts) -> {
            JsonObject columns = new JsonObject();
            for (Column column : OF_A_RULE) {
                columns.put(column.text(), History.at(counts, column.index()));
            }
            rules.put(rule, columns);
        });
        return new JsonObject()
                .put("from", history.last() + 1 - (day ? History.MINUTES * MINUTE : History.SECONDS))
                .put("servers", servers())
                .put("totals", rules);
    }

    private long servers() {
        return recorder.servers().stream().filter(recorder::isHere).count();
    }

    // ---- Figures

    JsonObject figures() {
        return new JsonObject()
                .put(
                        "qps",
                        new JsonObject().put("now", rounded(qps(NOW_SECONDS))).put("1m", rounded(qps(MINUTE))))
                .put(
                        "responseMs",
                        new JsonObject()
                                .put("p50", response(0.5))
                                .put("p99", response(0.99))
                                .put("p999", response(0.999)))
                .put(
                        "concurrent",
                        new JsonObject()
                                .put("now", recorder.history().max(Row.UNDER_WAY, 1))
                                .put("max1m", recorder.history().max(Row.UNDER_WAY, MINUTE)))
                .put("availability", availability());
    }

    /** Requests per second over the last seconds. */
    double qps(int seconds) {
        long[] requests = recorder.history().sum(Row.REQUESTS, seconds);
        long all = History.at(requests, Column.ALLOWED.index())
                + History.at(requests, Column.DENIED.index())
                + History.at(requests, Column.UNMATCHED.index());
        return all / (double) recorder.history().covered(seconds);
    }

    private @Nullable Double response(double part) {
        long[] counts = recorder.history().sum(Row.TIMES, MINUTE);
        OptionalDouble millis = new Quantiles(CheckLatency.upperMicros(), counts).millis(part);
        return millis.isPresent() ? rounded(millis.getAsDouble()) : null;
    }

    /** The same in seconds; NaN if nothing was decided. */
    double responseSeconds(double part) {
        Double millis = response(part);
        return millis == null ? Double.NaN : millis / 1000;
    }

    double mostUnderWay() {
        return recorder.history().max(Row.UNDER_WAY, MINUTE);
    }

    double target() {
        return target;
    }

    private JsonObject availability() {
        JsonArray windows = new JsonArray();
        WINDOWS.forEach((name, window) -> {
            Availability now = of(window);
            OptionalDouble part = now.availability();
            windows.add(new JsonObject()
                    .put("name", name)
                    .put("availability", part.isPresent() ? part.getAsDouble() : null)
                    .put("good", now.good())
                    .put("bad", now.bad())
                    .put("budgetMinutes", rounded(now.budgetMinutes()))
                    .put("budgetLeftMinutes", rounded(now.budgetLeftMinutes()))
                    .put("burnRate", rounded(now.burnRate())));
        });
        return new JsonObject()
                .put("target", target)
                .put("since", recorder.history().since())
                .put("windows", windows);
    }

    Availability of(Duration window) {
        return recorder.history().availability(target, window);
    }

    /** To thousandths, so that it can be read. */
    static double rounded(double value) {
        return Math.round(1000 * value) / 1000.0;
    }
}
