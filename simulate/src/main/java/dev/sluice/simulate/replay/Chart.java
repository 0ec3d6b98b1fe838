package dev.sluice.simulate.replay;

import dev.sluice.simulate.svg.Svg;
import dev.sluice.simulate.svg.TimeAxis;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToLongFunction;

/**
 * The charts of a report, as SVG. All lengths are tenths of a pixel.
 *
 * <pre>
 *   before and after            clients by rate
 *     |    /\   all              |  #
 *     |  _/##\_                  |  # #
 *     |_/######\____ allowed     |__#_#_._
 *       10:00   12:00              1 2 4 8
 * </pre>
 */
final class Chart {
    private static final long WIDTH = 8600;
    private static final long LEFT = 620;
    private static final long RIGHT = 250;
    private static final long TOP = 200;
    private static final int COLUMNS = 360;
    private static final long DAY = 86_400_000_000L;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("MM-dd", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Svg svg = new Svg();
    private final long height;

    private Chart(long height) {
        this.height = height;
    }

    private String wrapped(String title) {
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + Svg.tenths(WIDTH) + " "
                + Svg.tenths(height + 260) + "\"><title>" + Svg.escape(title) + "</title>\n" + svg + "</svg>\n";
    }

    // ---- Over time

    /** Requests over time: all of them, and filled those that went ahead. */
    static String beforeAndAfter(Series series, String title) {
        Columns columns = new Columns(series);
        Chart chart = new Chart(1800);
        long most = columns.most(series::requests);
        chart.axes(columns, most);
        chart.area("passed", columns, slot -> series.requests(slot) - series.stopped(slot), most);
        chart.outline("all", columns, series::requests, most);
        return chart.wrapped(title);
    }

    /** What a rule stopped over time, and what waited for it. */
    static String stopped(Series series, String title) {
        Columns columns = new Columns(series);
        Chart chart = new Chart(900);
        long most = Math.max(columns.most(series::stopped), columns.most(series::waited));
        chart.axes(columns, most);
        chart.area("stopped", columns, series::stopped, most);
        if (columns.sum(series::waited) > 0) {
            chart.outline("waited", columns, series::waited, most);
        }
        return chart.wrapped(title);
    }

    /** The slots of a series, several in a column if there are many. */
    private static final class Columns {
        final Series series;
        final int slotsPerColumn;
        final int count;

        Columns(Series series) {
            this.series = series;
            this.slotsPerColumn = Math.max(1, (series.slots() + COLUMNS - 1) / COLUMNS);
            this.count = Math.max(1, (series.slots() + slotsPerColumn - 1) / slotsPerColumn);
        }

        long widthMicros() {
            return series.widthMicros() * slotsPerColumn;
        }

        long sum(int column, IntToLongFunction counts) {
            long sum = 0;
            int end = Math.min(series.slots(), (column + 1) * slotsPerColumn);
            for (int slot = column * slotsPerColumn; slot < end; slot++) {
                sum += counts.applyAsLong(slot);
            }
            return sum;
        }

        long sum(IntToLongFunction counts) {
            long sum = 0;
            for (int column = 0; column < count; column++) {
                sum += sum(column, counts);
            }
            return sum;
        }

        long most(IntToLongFunction counts) {
            long most = 1;
            for (int column = 0; column < count; column++) {
                most = Math.max(most, sum(column, counts));
            }
            return most;
        }

        long x(int column) {
            return LEFT + (WIDTH - LEFT - RIGHT) * column / count;
        }
    }

    private long y(long value, long most) {
        return TOP + (height - TOP) * (most - value) / most;
    }

    private void axes(Columns columns, long most) {
        svg.line("grid", LEFT, y(most, most), WIDTH - RIGHT, y(most, most));
        svg.line("base", LEFT, height, WIDTH - RIGHT, height);
        svg.text("end", LEFT - 60, y(most, most) + 40, String.format(Locale.ROOT, "%,d", most));
        svg.text("end", LEFT - 60, height + 40, "0");
        svg.text("unit", LEFT + 40, TOP - 40, "per " + TimeAxis.rounded(columns.widthMicros()));
        long duration = columns.widthMicros() * columns.count;
        long start = Math.max(0, columns.series.startMicros());
        long step = TimeAxis.step(duration, 9);
        DateTimeFormatter format = step >= DAY ? DATE : step >= 60_000_000 ? TIME : SECOND;
        for (long at = Math.floorDiv(start + step - 1, step) * step; at <= start + duration; at += step) {
            long x = LEFT + (WIDTH - LEFT - RIGHT) * (at - start) / duration;
            svg.line("grid", x, TOP, x, height);
            svg.text("tick", x, height + 180, format.format(ReplayText.instant(at)));
        }
    }

    private void area(String type, Columns columns, IntToLongFunction counts, long most) {
        StringBuilder path = new StringBuilder("M" + Svg.tenths(LEFT) + " " + Svg.tenths(height));
        steps(path, columns, counts, most);
        path.append("V").append(Svg.tenths(height)).append('z');
        svg.path(type, path);
    }

    private void outline(String type, Columns columns, IntToLongFunction counts, long most) {
        StringBuilder path = new StringBuilder("M" + Svg.tenths(LEFT) + " " + Svg.tenths(height));
        steps(path, columns, counts, most);
        svg.path(type, path);
    }

    private void steps(StringBuilder path, Columns columns, IntToLongFunction counts, long most) {
        for (int column = 0; column < columns.count; column++) {
            path.append('V').append(Svg.tenths(y(columns.sum(column, counts), most)));
            path.append('H').append(Svg.tenths(columns.x(column + 1)));
        }
    }

    // ---- By rate

    /** How many keys there are of each rate, and filled those that were hit. */
    static String rates(List<RuleResult.Rate> rates, String title) {
        Chart chart = new Chart(900);
        long most = rates.stream().mapToLong(RuleResult.Rate::keys).max().orElse(1);
        chart.svg.line("base", LEFT, chart.height, WIDTH - RIGHT, chart.height);
        long width = Math.min(700, (WIDTH - LEFT - RIGHT) / Math.max(1, rates.size()));
        for (int i = 0; i < rates.size(); i++) {
            RuleResult.Rate rate = rates.get(i);
            long x = LEFT + i * width;
            chart.bar("keys", x, width, rate.keys(), most);
            chart.bar("stopped", x, width, rate.hit(), most);
            chart.svg.text(
                    "tick",
                    x + width / 2,
                    chart.y(rate.keys(), most) - 30,
                    String.format(Locale.ROOT, "%,d", rate.keys()));
            String label = rate.from() == 1 ? "1" : rate.from() + "–" + (2 * rate.from() - 1);
            chart.svg.text("tick", x + width / 2, chart.height + 180, label);
        }
        return chart.wrapped(title);
    }

    private void bar(String type, long x, long width, long value, long most) {
        if (value > 0) {
            long top = Math.min(y(value, most), height - 10);
            svg.rect(type, x + 40, top, width - 80, height - top);
        }
    }
}
