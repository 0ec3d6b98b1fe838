package dev.sluice.simulate;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.simulate.svg.Svg;
import dev.sluice.simulate.svg.TimeAxis;
import java.util.ArrayList;
import java.util.List;

/**
 * Simulations of one traffic, one below the other on one time axis, as one SVG that needs nothing else. The picture answers
 * one question: how many requests got through in any period?
 *
 * <pre>
 *   How many got through in any 10s? The limit is 10.
 *   10 per 10s, boundary traffic
 *
 *   Fixed window, aligned  10 per 10s fixed-window      heading
 *   20 in 10s: 2 times the limit   40 allowed 1 denied
 *              most: 20
 *              o#######                                 the curve: how many started in the last period;
 *   limit 10 --|#######|----------#########------       # where that is more than the limit
 *           0 _|       |_________|
 *              ::                :                      allowed, a cell each
 *   ----------------------------------------------
 *              :::               :                      denied
 *            0s        10s        20s        30s
 * </pre>
 *
 * <p>Every panel of a picture has the same scales, so that what looks more is more. A concurrency limit has no period: its
 * curve is how many run at once.
 */
public final class Picture {
    /** The narrowest picture. */
    public static final int MIN_WIDTH = 320;
    /** The widest picture. */
    public static final int MAX_WIDTH = 1600;

    private static final long RIGHT = 160;
    private static final long BIN = 40;
    private static final long HEADER = 180;
    private static final long LINE = 165;
    private static final long HEADROOM = 260;
    private static final long EDGE = 160;

    private final String title;
    private final List<Simulation> simulations;
    private final PictureText words;
    private final PictureStyle style;
    private final long width;
    private final boolean narrow;
    private final long durationMicros;
    private final long levels;
    private final long left;
    private final long mostInBin;
    private final long chart;
    private final long lane;
    private final Svg svg = new Svg();

    private Picture(String title, List<Simulation> simulations, int width, PictureText words, PictureStyle style) {
        this.title = title;
        this.simulations = simulations;
        this.words = words;
        this.style = style;
        this.width = width * 10L;
        this.narrow = width < 600;
        this.durationMicros = simulations.get(0).traffic().durationMicros();
        this.levels = Math.max(
                1, simulations.stream().mapToLong(Picture::highest).max().orElse(1));
        this.left = Math.max(
                340,
                simulations.stream()
                        .mapToLong(simulation -> EDGE + 50 + Legend.textWidth(limitLabel(simulation)) * 11 / 12)
                        .max()
                        .orElse(0));
        this.mostInBin = Math.max(
                1, simulations.stream().mapToLong(this::fullestBin).max().orElse(1));
        this.chart = simulations.size() > 2 ? 620 : 900;
        this.lane = Math.min(Math.max(2, mostInBin) * 50, simulations.size() > 2 ? 220 : 330);
    }

    /**
     * Draws simulations of one traffic, in English and in the reader's choice of light or dark.
     *
     * @param title the line below the question
     * @param width in pixels, {@link #MIN_WIDTH} to {@link #MAX_WIDTH}
     */
    public static String draw(String title, List<Simulation> simulations, int width) {
        return draw(title, simulations, width, PictureText.english(), PictureStyle.READERS_CHOICE);
    }

    /** The same with other words and colours. */
    public static String draw(
            String title, List<Simulation> simulations, int width, PictureText words, PictureStyle style) {
        if (simulations.isEmpty()) {
            throw new IllegalArgumentException("nothing to draw");
        }
        if (width < MIN_WIDTH || width > MAX_WIDTH) {
            throw new IllegalArgumentException(
                    "width must be from " + MIN_WIDTH + " to " + MAX_WIDTH + ", was " + width);
        }
        return new Picture(title, simulations, width, words, style).draw();
    }

    private String draw() {
        Legend legend = legend();
        long first = 620 + legend.height() + 60;
        long panel = HEADER + (narrow ? 2 : 1) * LINE + HEADROOM + chart + 80 + 2 * lane + 130;
        long height = first + panel * simulations.size() + 240;
        svg.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sluice\" role=\"img\" width=\"" + Svg.tenths(width)
                + "\" height=\"" + Svg.tenths(height) + "\" viewBox=\"0 0 " + Svg.tenths(width) + " "
                + Svg.tenths(height) + "\" data-left=\"" + Svg.tenths(left) + "\" data-right=\""
                + Svg.tenths(width - RIGHT) + "\">");
        svg.raw("<title>" + Svg.escape(question() + " " + title) + "</title>");
        svg.raw("<desc>" + Svg.escape(description()) + "</desc>");
        svg.raw(style.css());
        svg.raw("<rect class=\"ground\" x=\".5\" y=\".5\" width=\"" + Svg.tenths(width - 10) + "\" height=\""
                + Svg.tenths(height - 10) + "\" rx=\"6\"/>");
        svg.text("title", EDGE, 290, question());
        svg.text("subtitle", EDGE, 470, title);
        legend.draw(svg, 660);
        for (long at = 0; at <= durationMicros; at += tickMicros()) {
            svg.text("tick", x(at), height - 140, TimeAxis.label(at, tickMicros()));
        }
        long top = first;
        for (Simulation simulation : simulations) {
            panel(simulation, top);
            top += panel;
        }
        return svg.raw("</svg>").toString();
    }

    private String question() {
        Simulation first = simulations.get(0);
        return words.say(onlyHolds() ? "question-at-once" : "question", "period", period(first))
                + (narrow ? "" : " " + words.say("limit-is", "n", first.limit().permits()));
    }

    private boolean onlyHolds() {
        return simulations.stream().allMatch(simulation -> simulation.limit().holds());
    }

    private String description() {
        StringBuilder text = new StringBuilder();
        for (Simulation simulation : simulations) {
            Limit limit = simulation.limit();
            text.append(text.isEmpty() ? "" : " ")
                    .append(words.algorithm(LimitSummary.of(limit)))
                    .append(" (")
                    .append(limit.text())
                    .append("): ")
                    .append(numbers(simulation))
                    .append('.');
        }
        return text.toString();
    }

    private String numbers(Simulation simulation) {
        return verdict(simulation) + ", " + words.say("allowed", "n", simulation.allowed()) + ", "
                + words.say("denied", "n", simulation.denied())
                + (simulation.longestDelayMicros() == 0 ? "" : ", " + longestWait(simulation));
    }

    /** The answer to the question. */
    private String verdict(Simulation simulation) {
        long permits = simulation.limit().permits();
        long most = worst(simulation);
        String key = simulation.limit().holds() ? "at-once" : most > permits ? "over" : "within";
        return words.say(key, "most", most, "period", period(simulation), "times", Svg.tenths(most * 10 / permits));
    }

    private String limitLabel(Simulation simulation) {
        return words.say("limit", "n", simulation.limit().permits());
    }

    private static String period(Simulation simulation) {
        return Durations.text(simulation.period());
    }

    private String longestWait(Simulation simulation) {
        return words.say("wait", "time", TimeAxis.rounded(simulation.longestDelayMicros()));
    }

    // ---- The legend

    private Legend legend() {
        List<Legend.Item> items = new ArrayList<>();
        items.add(new Legend.Item(
                "area", words.say(onlyHolds() ? "curve-at-once" : "curve", "period", period(simulations.get(0)))));
        if (simulations.stream().anyMatch(Picture::isOver)) {
            items.add(new Legend.Item("above", words.say("above")));
        }
        items.add(new Legend.Item("yes", words.say("yes")));
        items.add(new Legend.Item("no", words.say("no")));
        if (simulations.stream()
                .anyMatch(simulation -> !simulation.windowEndsMicros().isEmpty())) {
            items.add(new Legend.Item("window", words.say("window")));
        }
        if (simulations.stream().anyMatch(simulation -> simulation.longestDelayMicros() > 0)) {
            items.add(new Legend.Item("start", words.say("start")));
        }
        return new Legend(items, EDGE, width, LINE);
    }

    // ---- One panel

    private void panel(Simulation simulation, long top) {
        LimitSummary summary = LimitSummary.of(simulation.limit());
        String name = words.algorithm(summary);
        String text = simulation.limit().text();
        svg.raw("<g data-name=\"" + Svg.escape(name) + "\" data-most=\"" + worst(simulation) + "\">");
        svg.raw("<title>" + Svg.escape(name + ", " + text + ": " + numbers(simulation)) + "</title>");
        long y = top + HEADER;
        String heading = "<tspan class=\"name\">" + Svg.escape(name) + "</tspan>"
                + (narrow ? "" : "<tspan dx=\"8\">" + Svg.escape(text) + "</tspan>");
        svg.raw("<text x=\"16\" y=\"" + Svg.tenths(y) + "\">" + heading + "</text>");
        y += LINE;
        String counts = counted("yes", words.say("allowed"), simulation.allowed())
                + ' '
                + counted("no", words.say("denied"), simulation.denied());
        svg.raw("<text x=\"16\" y=\"" + Svg.tenths(y) + "\"><tspan class=\"" + (isOver(simulation) ? "over" : "strong")
                + "\">" + Svg.escape(verdict(simulation)) + "</tspan>"
                + (narrow ? "" : "<tspan dx=\"12\">" + counts + delay(simulation) + "</tspan>") + "</text>");
        if (narrow) {
            y += LINE;
            svg.raw("<text x=\"16\" y=\"" + Svg.tenths(y) + "\">" + counts + "</text>");
        }
        y += HEADROOM;
        chart(simulation, y);
        marks(simulation, y + chart + 80 + lane);
        svg.raw("</g>");
    }

    /** A text with a number in it, and the number in a colour. */
    private static String counted(String type, String text, long number) {
        return Svg.escape(text).replace("{n}", "<tspan class=\"" + type + "\">" + number + "</tspan>");
    }

    private String delay(Simulation simulation) {
        return simulation.longestDelayMicros() == 0 ? "" : ", " + Svg.escape(longestWait(simulation));
    }

    private void chart(Simulation simulation, long top) {
        long floor = top + chart;
        long permits = simulation.limit().permits();
        for (long at = 0; at <= durationMicros; at += tickMicros()) {
            svg.line("grid", x(at), top - 100, x(at), floor + 80 + 2 * lane);
        }
        for (long end : simulation.windowEndsMicros()) {
            if (end <= durationMicros) {
                svg.line("window", x(end), top, x(end), floor);
            }
        }
        StepCurve curve = new StepCurve(answers(simulation), durationMicros, this::x, value -> y(value, floor));
        svg.path("area", curve.areaDownTo(0));
        if (isOver(simulation)) {
            svg.path("above", curve.above(permits).areaDownTo(permits));
        }
        svg.path("curve", curve.path());
        svg.line("base", left, floor, width - RIGHT, floor);
        svg.text("end", left - 50, floor + 40, "0");
        svg.line("limit", left, y(permits, floor), width - RIGHT, y(permits, floor));
        svg.text("end", left - 50, y(permits, floor) + 40, limitLabel(simulation));
        peak(simulation, floor);
    }

    /** What the curve shows: how many started in the last period, or run. */
    private static List<Simulation.Step> answers(Simulation simulation) {
        return simulation.limit().holds() ? simulation.used() : simulation.startedInPeriod();
    }

    /** A point on the curve's first maximum, with its number. */
    private void peak(Simulation simulation, long floor) {
        long most = worst(simulation);
        answers(simulation).stream()
                .filter(step -> step.value() == most && step.atMicros() <= durationMicros)
                .findFirst()
                .ifPresent(step -> {
                    long x = x(step.atMicros());
                    boolean atTheRight = x > width - RIGHT - 700;
                    String type = isOver(simulation) ? "peak over" : "peak";
                    svg.raw("<circle class=\"" + type + "\" cx=\"" + Svg.tenths(x) + "\" cy=\""
                            + Svg.tenths(y(most, floor)) + "\" r=\"4\"/>");
                    svg.text(
                            type + (atTheRight ? " before" : ""),
                            atTheRight ? x + 40 : x - 40,
                            y(most, floor) - 75,
                            words.say("most", "n", most));
                });
    }

    // ---- Allowed and denied, a cell each while there is room

    private void marks(Simulation simulation, long base) {
        svg.path("yes", cells(count(simulation, true), base - 5, -1));
        svg.path("no", cells(count(simulation, false), base + 5, 1));
        svg.line("base", left, base, width - RIGHT, base);
        if (simulation.longestDelayMicros() > 0) {
            StringBuilder starts = new StringBuilder();
            long last = 0;
            for (long start : simulation.startsMicros()) {
                long x = x(start) - 7;
                if (start < durationMicros && x >= last + 10) {
                    starts.append(Svg.box(x, base - lane - 65, 14, 45));
                    last = x;
                }
            }
            svg.path("start", starts);
        }
    }

    private String cells(long[] counts, long base, int direction) {
        long unit = Math.min(50, lane / mostInBin);
        StringBuilder path = new StringBuilder();
        for (int bin = 0; bin < counts.length; bin++) {
            long x = left + bin * BIN;
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
        long[] counts = new long[(int) ((width - left - RIGHT) / BIN) + 1];
        for (Simulation.Event event : simulation.events()) {
            if (event.allowed() == allowed) {
                counts[(int) ((x(event.atMicros()) - left) / BIN)]++;
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
        return Math.max(simulation.limit().permits(), worst(simulation));
    }

    private static long worst(Simulation simulation) {
        return simulation.limit().holds()
                ? simulation.mostUsed()
                : simulation.worst().admitted();
    }

    private static boolean isOver(Simulation simulation) {
        return worst(simulation) > simulation.limit().permits();
    }

    private long tickMicros() {
        return TimeAxis.step(durationMicros, (width - left - RIGHT) / 750);
    }

    private long x(long atMicros) {
        return left + (width - left - RIGHT) * Math.min(atMicros, durationMicros) / durationMicros;
    }

    private long y(long value, long floor) {
        return floor - chart * value / levels;
    }
}
