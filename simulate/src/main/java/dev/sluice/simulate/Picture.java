package dev.sluice.simulate;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.simulate.svg.Svg;
import dev.sluice.simulate.svg.TimeAxis;
import java.util.List;

/**
 * Simulations of one traffic, one below the other on one time axis, as one SVG that needs nothing else.
 *
 * <pre>
 *   Token bucket  10 per 10s, burst 10                 heading
 *   allowed 24  denied 17  most in any 10s: 19
 *   bound 20 - - - - - - - - - - - - - - - - - -       most that any period can hold
 *              ____
 *   limit 10 _|####|__________####______________       filled: used;  line: admitted in the last period
 *              ::              :                       allowed, a cell each
 *   ----------------------------------------------
 *              :::             :                       denied
 *            0s        10s        20s        30s
 * </pre>
 *
 * <p>Every panel of a picture has the same scales, so that what looks more is more.
 */
public final class Picture {
    /** The narrowest picture. */
    public static final int MIN_WIDTH = 320;
    /** The widest picture. */
    public static final int MAX_WIDTH = 1600;

    private static final long LEFT = 340;
    private static final long RIGHT = 160;
    private static final long BIN = 40;
    private static final long HEADER = 180;
    private static final long LINE = 165;

    /*
     * The picture brings its own ground and follows the reader's choice of light or dark, so that it can be read on any
     * page. Allowed and denied differ by place (above and below the line) as well as by colour.
     */
    private static final String STYLE = """
            <style>
            .sluice{--ground:#fff;--edge:#d1d9e0;--ink:#1f2328;--dim:#59636e;--grid:#e6eaef;--fill:#ddf4ff;--rim:#54aeff;\
            --yes:#0969da;--no:#bc4c00;--flow:#8250df;--cap:#cf222e}
            @media(prefers-color-scheme:dark){.sluice{--ground:#0d1117;--edge:#3d444d;--ink:#f0f6fc;--dim:#9198a1;\
            --grid:#262c36;--fill:#12304f;--rim:#316dca;--yes:#4493f8;--no:#f0883e;--flow:#be8fff;--cap:#ff7b72}}
            .sluice text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--dim)}
            .sluice .title{font-size:15px;font-weight:600;fill:var(--ink)}
            .sluice .name{font-size:13px;font-weight:600;fill:var(--ink)}
            .sluice .strong{font-weight:600;fill:var(--ink)}
            .sluice .over{font-weight:600;fill:var(--cap)}
            .sluice .tick{font-size:11px;text-anchor:middle}
            .sluice .end{font-size:11px;text-anchor:end}
            .sluice .ground{fill:var(--ground);stroke:var(--edge)}
            .sluice .grid{stroke:var(--grid);fill:none}
            .sluice .base{stroke:var(--edge);fill:none}
            .sluice .window{stroke:var(--dim);fill:none;stroke-dasharray:2 3}
            .sluice .used{fill:var(--fill);stroke:none}
            .sluice .rim{fill:none;stroke:var(--rim)}
            .sluice .flow{fill:none;stroke:var(--flow);stroke-width:1.6}
            .sluice .limit{fill:none;stroke:var(--ink)}
            .sluice .bound{fill:none;stroke:var(--cap);stroke-dasharray:6 4}
            .sluice .band{fill:var(--cap);opacity:.1}
            .sluice .yes{fill:var(--yes)}.sluice .no{fill:var(--no)}.sluice .start{fill:var(--flow)}
            .sluice tspan.yes,.sluice tspan.no{font-weight:600}
            </style>""";

    private final String title;
    private final List<Simulation> simulations;
    private final long width;
    private final boolean narrow;
    private final long durationMicros;
    private final long levels;
    private final long mostInBin;
    private final long chart;
    private final long lane;
    private final Svg svg = new Svg();

    private Picture(String title, List<Simulation> simulations, int width) {
        this.title = title;
        this.simulations = simulations;
        this.width = width * 10L;
        this.narrow = width < 600;
        this.durationMicros = simulations.get(0).traffic().durationMicros();
        this.levels = Math.max(
                1, simulations.stream().mapToLong(Picture::highest).max().orElse(1));
        this.mostInBin = Math.max(
                1, simulations.stream().mapToLong(this::fullestBin).max().orElse(1));
        this.chart = simulations.size() > 2 ? 680 : 960;
        this.lane = Math.min(Math.max(2, mostInBin) * 50, simulations.size() > 2 ? 220 : 330);
    }

    /**
     * Draws simulations of one traffic.
     *
     * @param title the heading
     * @param width in pixels, {@link #MIN_WIDTH} to {@link #MAX_WIDTH}
     */
    public static String draw(String title, List<Simulation> simulations, int width) {
        if (simulations.isEmpty()) {
            throw new IllegalArgumentException("nothing to draw");
        }
        if (width < MIN_WIDTH || width > MAX_WIDTH) {
            throw new IllegalArgumentException(
                    "width must be from " + MIN_WIDTH + " to " + MAX_WIDTH + ", was " + width);
        }
        return new Picture(title, simulations, width).draw();
    }

    private String draw() {
        long legend = 560 + (narrow ? 2 : 1) * LINE;
        long panel = HEADER + LINE + 90 + chart + 80 + 2 * lane + 130;
        long height = legend + panel * simulations.size() + 240;
        svg.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sluice\" role=\"img\" width=\"" + Svg.tenths(width)
                + "\" height=\"" + Svg.tenths(height) + "\" viewBox=\"0 0 " + Svg.tenths(width) + " "
                + Svg.tenths(height) + "\">");
        svg.raw("<title>" + Svg.escape(title) + "</title>");
        svg.raw("<desc>" + Svg.escape(description()) + "</desc>");
        svg.raw(STYLE);
        svg.raw("<rect class=\"ground\" x=\".5\" y=\".5\" width=\"" + Svg.tenths(width - 10) + "\" height=\""
                + Svg.tenths(height - 10) + "\" rx=\"6\"/>");
        svg.text("title", 160, 290, title);
        legend();
        long bottom = legend + panel * simulations.size() - 70;
        for (long at = 0, step = TimeAxis.step(durationMicros, (width - LEFT - RIGHT) / 750);
                at <= durationMicros;
                at += step) {
            svg.line("grid", x(at), legend + 40, x(at), bottom);
            svg.text("tick", x(at), bottom + 170, TimeAxis.label(at, step));
        }
        long top = legend;
        for (Simulation simulation : simulations) {
            panel(simulation, top);
            top += panel;
        }
        return svg.raw("</svg>").toString();
    }

    private String description() {
        StringBuilder text = new StringBuilder();
        for (Simulation simulation : simulations) {
            Limit limit = simulation.limit();
            text.append(text.isEmpty() ? "" : " ")
                    .append(LimitSummary.of(limit).title())
                    .append(" (")
                    .append(limit.text())
                    .append("): ")
                    .append(numbers(simulation))
                    .append('.');
        }
        return text.toString();
    }

    private static String numbers(Simulation simulation) {
        return "allowed " + simulation.allowed() + ", denied " + simulation.denied() + ", " + most(simulation)
                + (simulation.longestDelayMicros() == 0 ? "" : ", " + longestWait(simulation));
    }

    private static String most(Simulation simulation) {
        return simulation.limit().holds()
                ? "most at once: " + simulation.mostUsed()
                : "most in any " + Durations.text(simulation.period()) + ": "
                        + simulation.worst().admitted();
    }

    // ---- The legend

    private void legend() {
        long second = narrow ? LINE : 0;
        long shift = narrow ? 0 : 3150;
        svg.rect("used", 160, 445, 140, 90).path("rim", "M16 44.5h14");
        svg.text("legend", 350, 530, "used");
        svg.path("flow", "M75 49h14");
        svg.text("legend", 940, 530, "admitted in the last period");
        svg.rect("yes", 160 + shift - 50, 450 + second, 70, 70);
        svg.text("legend", 310 + shift - 100, 530 + second, "allowed");
        svg.rect("no", 800 + shift - 50, 450 + second, 70, 70);
        svg.text("legend", 950 + shift - 100, 530 + second, "denied");
        svg.path("limit", "M" + Svg.tenths(1400 + shift - 50) + " " + Svg.tenths(490 + second) + "h14");
        svg.text("legend", 1600 + shift - 50, 530 + second, "limit");
        svg.path("bound", "M" + Svg.tenths(1950 + shift - 50) + " " + Svg.tenths(490 + second) + "h18");
        svg.text("legend", 2190 + shift - 50, 530 + second, "bound in any period");
    }

    // ---- One panel

    private void panel(Simulation simulation, long top) {
        LimitSummary summary = LimitSummary.of(simulation.limit());
        String text = simulation.limit().text();
        long permits = simulation.limit().permits();
        long worst = worst(simulation);
        svg.raw("<g data-name=\"" + Svg.escape(summary.title()) + "\" data-detail=\"" + Svg.escape(text)
                + "\" data-code=\"" + Svg.escape(summary.code()) + "\" data-allowed=\"" + simulation.allowed()
                + "\" data-permits=\"" + permits + "\" data-denied=\"" + simulation.denied() + "\" data-most=\""
                + worst + "\" data-bound=\""
                + summary.bound() + "\">");
        svg.raw("<title>" + Svg.escape(summary.title() + ", " + text + ": " + numbers(simulation)) + "</title>");
        long y = top + HEADER;
        String heading = narrow
                ? "<tspan class=\"strong\">" + Svg.escape(text)
                : "<tspan class=\"name\">" + Svg.escape(summary.title()) + "</tspan><tspan dx=\"8\">"
                        + Svg.escape(text);
        svg.raw("<text x=\"16\" y=\"" + Svg.tenths(y) + "\">" + heading + "</tspan></text>");
        y += LINE;
        svg.raw("<text x=\"16\" y=\"" + Svg.tenths(y) + "\"><tspan class=\"yes\">" + simulation.allowed()
                + "</tspan> allowed<tspan class=\"no\" dx=\"8\">" + simulation.denied()
                + "</tspan> denied<tspan dx=\"8\" class=\""
                + (worst > permits ? "over" : "strong") + "\">"
                + Svg.escape(most(simulation)) + "</tspan>" + delay(simulation) + "</text>");
        y += 90;
        chart(simulation, summary, y);
        marks(simulation, y + chart + 80 + lane);
        svg.raw("</g>");
    }

    private String delay(Simulation simulation) {
        return narrow || simulation.longestDelayMicros() == 0
                ? ""
                : "<tspan dx=\"8\">" + longestWait(simulation)
                        + "</tspan><tspan dx=\"8\" class=\"start\">ticks: work starts</tspan>";
    }

    private static String longestWait(Simulation simulation) {
        return "longest wait " + TimeAxis.rounded(simulation.longestDelayMicros());
    }

    private void chart(Simulation simulation, LimitSummary summary, long top) {
        long floor = top + chart;
        if (worst(simulation) > simulation.limit().permits()) {
            band(simulation, top, floor);
        }
        boundaries(simulation, summary.sliceMicros(), top, floor);
        String used = steps(simulation.used(), floor);
        svg.path("used", used + "V" + Svg.tenths(floor) + "H" + Svg.tenths(LEFT) + "z");
        svg.path("rim", used);
        svg.line("base", LEFT, floor, width - RIGHT, floor);
        svg.text("end", LEFT - 50, floor + 40, "0");
        long capacity = simulation.limit().capacity();
        svg.line("limit", LEFT, y(capacity, floor), width - RIGHT, y(capacity, floor));
        svg.text("end", LEFT - 50, y(capacity, floor) + 40, Long.toString(capacity));
        if (summary.bound() > capacity) {
            svg.line("bound", LEFT, y(summary.bound(), floor), width - RIGHT, y(summary.bound(), floor));
            svg.text("end", LEFT - 50, y(summary.bound(), floor) + 40, Long.toString(summary.bound()));
        }
        if (!simulation.limit().holds()) {
            svg.path("flow", steps(simulation.startedInPeriod(), floor));
        }
    }

    /** A band behind the period in which the most was admitted, where that is more than the limit. */
    private void band(Simulation simulation, long top, long floor) {
        Simulation.Worst worst = simulation.worst();
        long from = x(Math.max(0, worst.endMicros() - MICROSECONDS.convert(simulation.period())));
        svg.rect("band", from, top, x(worst.endMicros()) - from, floor - top);
    }

    /** Ticks where slices begin, if there is room for them, and lines where windows end. */
    private void boundaries(Simulation simulation, long sliceMicros, long top, long floor) {
        if (sliceMicros > 0 && durationMicros / sliceMicros <= (width - LEFT - RIGHT) / 60) {
            StringBuilder ticks = new StringBuilder();
            for (long at = sliceMicros; at < durationMicros; at += sliceMicros) {
                ticks.append('M')
                        .append(Svg.tenths(x(at)))
                        .append(' ')
                        .append(Svg.tenths(floor))
                        .append("v4");
            }
            svg.path("base", ticks);
        }
        for (long end : simulation.windowEndsMicros()) {
            if (end <= durationMicros) {
                svg.line("window", x(end), top, x(end), floor);
            }
        }
    }

    /** A step curve. Within a column of half a pixel only the extremes and the last are kept. */
    private String steps(List<Simulation.Step> steps, long floor) {
        boolean fromStart = !steps.isEmpty() && steps.get(0).atMicros() == 0;
        long level = fromStart ? y(steps.get(0).value(), floor) : floor;
        StringBuilder path = new StringBuilder();
        path.append('M').append(Svg.tenths(LEFT)).append(' ').append(Svg.tenths(level));
        int i = 0;
        while (i < steps.size() && steps.get(i).atMicros() <= durationMicros) {
            long column = column(steps.get(i));
            int low = i;
            int high = i;
            int last = i;
            for (; i < steps.size() && column(steps.get(i)) == column; i++) {
                low = steps.get(i).value() < steps.get(low).value() ? i : low;
                high = steps.get(i).value() > steps.get(high).value() ? i : high;
                last = i;
            }
            path.append('H').append(Svg.tenths(column));
            for (int kept : new int[] {Math.min(low, high), Math.max(low, high), last}) {
                long y = y(steps.get(kept).value(), floor);
                if (y != level) {
                    path.append('V').append(Svg.tenths(y));
                    level = y;
                }
            }
        }
        return path.append('H').append(Svg.tenths(width - RIGHT)).toString();
    }

    private long column(Simulation.Step step) {
        return x(step.atMicros()) / 5 * 5;
    }

    // ---- Allowed and denied, a cell each while there is room

    private void marks(Simulation simulation, long base) {
        svg.path("yes", cells(count(simulation, true), base - 5, -1));
        svg.path("no", cells(count(simulation, false), base + 5, 1));
        svg.line("base", LEFT, base, width - RIGHT, base);
        if (simulation.longestDelayMicros() > 0) {
            StringBuilder starts = new StringBuilder();
            for (long start : simulation.startsMicros()) {
                if (start < durationMicros) {
                    starts.append(Svg.box(x(start) - 7, base - lane - 65, 14, 45));
                }
            }
            svg.path("start", starts);
        }
    }

    private String cells(long[] counts, long base, int direction) {
        long unit = Math.min(50, lane / mostInBin);
        StringBuilder path = new StringBuilder();
        for (int bin = 0; bin < counts.length; bin++) {
            long x = LEFT + bin * BIN;
            if (unit >= 20) {
                for (long i = 0; i < counts[bin]; i++) {
                    long y = base + direction * unit * i;
                    path.append(Svg.box(x + 3, y, BIN - 6, direction * (unit - Math.max(5, unit / 6))));
                }
            } else if (counts[bin] > 0) {
                path.append(Svg.box(x + 3, base, BIN - 6, direction * Math.max(10, lane * counts[bin] / mostInBin)));
            }
        }
        return path.toString();
    }

    private long[] count(Simulation simulation, boolean allowed) {
        long[] counts = new long[(int) ((width - LEFT - RIGHT) / BIN) + 1];
        for (Simulation.Event event : simulation.events()) {
            if (event.allowed() == allowed) {
                counts[(int) ((x(event.atMicros()) - LEFT) / BIN)]++;
            }
        }
        return counts;
    }

    private long fullestBin(Simulation simulation) {
        long most = 0;
        for (boolean allowed : new boolean[] {true, false}) {
            for (long count : count(simulation, allowed)) {
                most = Math.max(most, count);
            }
        }
        return most;
    }

    // ---- Scales

    private static long highest(Simulation simulation) {
        return Math.max(
                LimitSummary.of(simulation.limit()).bound(),
                Math.max(simulation.limit().capacity(), worst(simulation)));
    }

    private static long worst(Simulation simulation) {
        return simulation.limit().holds()
                ? simulation.mostUsed()
                : simulation.worst().admitted();
    }

    private long x(long atMicros) {
        return LEFT + (width - LEFT - RIGHT) * Math.min(atMicros, durationMicros) / durationMicros;
    }

    private long y(long value, long floor) {
        return floor - (chart - 20) * value / levels;
    }
}
