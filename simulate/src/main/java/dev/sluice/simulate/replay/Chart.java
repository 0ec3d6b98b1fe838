package dev.sluice.simulate.replay;

import dev.sluice.simulate.svg.Svg;
import dev.sluice.simulate.svg.TimeAxis;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;

/**
 * The charts of a report, as SVG. All lengths are tenths of a pixel.
 *
 * <pre>
 *   before and after            clients by rate
 *     |    /\   denied           |  #
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
    /** The largest number of lines above the base of a chart. */
    private static final int LINES = 4;

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

    /** Requests over time: those that went ahead, and on top of them those that did not. */
    static String beforeAndAfter(Series series, String title) {
        Columns columns = new Columns(series);
        Chart chart = new Chart(1800);
        long[] all = columns.sums(series, series::requests);
        long[] passed = columns.sums(series, slot -> series.requests(slot) - series.stopped(slot));
        long top = chart.axes(columns, most(all));
        chart.area("stopped", columns, all, top);
        chart.area("passed", columns, passed, top);
        return chart.wrapped(title);
    }

    /** What a rule stopped over the time of all requests, and what waited for it. */
    static String stopped(Series all, Series series, String title) {
        Columns columns = new Columns(all);
        Chart chart = new Chart(900);
        long[] stopped = columns.sums(series, series::stopped);
        long[] waited = columns.sums(series, series::waited);
        long top = chart.axes(columns, Math.max(most(stopped), most(waited)));
        chart.area("stopped", columns, stopped, top);
        if (Arrays.stream(waited).anyMatch(count -> count > 0)) {
            chart.outline("waited", columns, waited, top);
        }
        return chart.wrapped(title);
    }

    /** The columns of a chart: slots of a series of all requests, several in a column if there are many. */
    private static final class Columns {
        final long startMicros;
        final long widthMicros;
        final int count;

        Columns(Series all) {
            int slotsPerColumn = Math.max(1, (all.slots() + COLUMNS - 1) / COLUMNS);
            this.startMicros = Math.max(0, all.startMicros());
            this.widthMicros = all.widthMicros() * slotsPerColumn;
            this.count = Math.max(1, (all.slots() + slotsPerColumn - 1) / slotsPerColumn);
        }

        /** The sum in each column of a series of some of the requests. */
        long[] sums(Series series, IntToLongFunction counts) {
            long[] sums = new long[count];
            for (int slot = 0; slot < series.slots(); slot++) {
                long at = series.startMicros() + slot * series.widthMicros() - startMicros;
                sums[(int) Math.max(0, Math.min(count - 1L, at / widthMicros))] += counts.applyAsLong(slot);
            }
            return sums;
        }

        long x(int column) {
            return LEFT + (WIDTH - LEFT - RIGHT) * column / count;
        }
    }

    private static long most(long[] counts) {
        return Arrays.stream(counts).max().orElse(0);
    }

    private long y(long value, long top) {
        return TOP + (height - TOP) * (top - value) / top;
    }

    /** Draws both axes, and returns the number at the top. */
    private long axes(Columns columns, long most) {
        long top = counts(most);
        svg.text("unit", LEFT + 40, TOP - 60, "requests per " + TimeAxis.rounded(columns.widthMicros));
        long duration = columns.widthMicros * columns.count;
        long start = columns.startMicros;
        long step = TimeAxis.step(duration, 9);
        DateTimeFormatter format = step >= DAY ? DATE : step >= 60_000_000 ? TIME : SECOND;
        for (long at = Math.floorDiv(start + step - 1, step) * step; at <= start + duration; at += step) {
            long x = LEFT + (WIDTH - LEFT - RIGHT) * (at - start) / duration;
            svg.line("grid", x, TOP, x, height);
            svg.text("tick", x, height + 180, format.format(ReplayText.instant(at)));
        }
        return top;
    }

    /** Draws the axis of counts with a few round numbers, and returns the one at its top. */
    private long counts(long most) {
        long step = 1;
        for (int i = 0; most > LINES * step; i++) {
            step = i % 3 == 1 ? step / 2 * 5 : step * 2; // 1, 2, 5, 10
        }
        long top = Math.max(1, (most + step - 1) / step) * step;
        for (long value = 0; value <= top; value += step) {
            svg.line(value == 0 ? "base" : "grid", LEFT, y(value, top), WIDTH - RIGHT, y(value, top));
            svg.text("end", LEFT - 60, y(value, top) + 40, String.format(Locale.ROOT, "%,d", value));
        }
        return top;
    }

    private void area(String type, Columns columns, long[] counts, long top) {
        StringBuilder path = new StringBuilder("M" + Svg.tenths(LEFT) + " " + Svg.tenths(height));
        steps(path, columns, counts, top);
        path.append("V").append(Svg.tenths(height)).append('z');
        svg.path(type, path);
    }

    private void outline(String type, Columns columns, long[] counts, long top) {
        StringBuilder path = new StringBuilder("M" + Svg.tenths(LEFT) + " " + Svg.tenths(height));
        steps(path, columns, counts, top);
        svg.path(type, path);
    }

    private void steps(StringBuilder path, Columns columns, long[] counts, long top) {
        for (int column = 0; column < columns.count; column++) {
            path.append('V').append(Svg.tenths(y(counts[column], top)));
            path.append('H').append(Svg.tenths(columns.x(column + 1)));
        }
    }

    // ---- By rate

    /** How many keys there are of each rate, and filled those that were hit. */
    static String rates(List<RuleResult.Rate> rates, String title) {
        Chart chart = new Chart(900);
        Map<Long, RuleResult.Rate> byStart = new TreeMap<>();
        rates.forEach(rate -> byStart.put(rate.from(), rate));
        long last = rates.isEmpty() ? 0 : rates.get(rates.size() - 1).from();
        for (long from = rates.isEmpty() ? 1 : rates.get(0).from(); from <= last; from *= 2) {
            byStart.putIfAbsent(from, new RuleResult.Rate(from, 0, 0)); // a gap is seen as one
        }
        long most = rates.stream().mapToLong(RuleResult.Rate::keys).max().orElse(1);
        chart.svg.line("base", LEFT, chart.height, WIDTH - RIGHT, chart.height);
        long width = Math.min(700, (WIDTH - LEFT - RIGHT) / Math.max(1, byStart.size()));
        long x = LEFT;
        for (RuleResult.Rate rate : byStart.values()) {
            chart.bar("keys", x, width, rate.keys(), most);
            chart.bar("stopped", x, width, rate.hit(), most);
            chart.svg.text(
                    "tick",
                    x + width / 2,
                    chart.y(rate.keys(), most) - 30,
                    rate.keys() == 0 ? "" : String.format(Locale.ROOT, "%,d", rate.keys()));
            chart.svg.text("tick", x + width / 2, chart.height + 180, label(rate, width));
            x += width;
        }
        return chart.wrapped(title);
    }

    /** The rates of a bar; where bars are narrow, the smallest. */
    private static String label(RuleResult.Rate rate, long width) {
        boolean wide = width >= 600 || rate.from() < 64;
        return rate.from() == 1 ? "1" : wide ? rate.from() + "–" + (2 * rate.from() - 1) : rate.from() + "+";
    }

    private void bar(String type, long x, long width, long value, long most) {
        if (value > 0) {
            long top = Math.min(y(value, most), height - 10);
            svg.rect(type, x + 40, top, width - 80, height - top);
        }
    }
}
