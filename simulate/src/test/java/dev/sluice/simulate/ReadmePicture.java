package dev.sluice.simulate;

import dev.sluice.Durations;
import dev.sluice.simulate.svg.Svg;
import dev.sluice.simulate.svg.TimeAxis;
import java.util.List;

/**
 * The picture at the top of the README: the question of {@link Picture} in as few words as it takes, for somebody who reads
 * it on a phone. There it is about 360 pixels wide, so it is drawn at {@link #WIDTH}, and no letter is smaller than 14.
 */
final class ReadmePicture {
    static final int WIDTH = 400;

    private static final long EDGE = 140;
    private static final long RIGHT = WIDTH * 10L - EDGE;
    private static final long FIRST_PANEL = 480;
    private static final long HEADING = 240;
    private static final long CHART = 860;
    private static final long PANEL = HEADING + CHART + 300;
    private static final long AXIS = 300;
    private static final long TICK_MICROS = 10_000_000;

    /** Larger letters than those of {@link PictureStyle}. */
    private static final String LETTERS = """
            <style>
            .sluice text{font-size:14px}
            .sluice .title{font-size:19px}
            .sluice .name{font-size:17px}
            .sluice text.most{font-size:17px;font-weight:700;text-anchor:end;fill:var(--yes)}
            .sluice text.over{fill:var(--cap)}
            .sluice .tick{font-size:14px}
            .sluice .first{text-anchor:start}
            .sluice .end{font-size:14px}
            .sluice .curve{stroke-width:2}
            .sluice .limit{stroke-dasharray:6 4}
            </style>""";

    private final List<Simulation> simulations;
    private final long durationMicros;
    private final long highest;
    private final Svg svg = new Svg();

    private ReadmePicture(List<Simulation> simulations) {
        this.simulations = simulations;
        this.durationMicros = simulations.get(0).traffic().durationMicros();
        this.highest = simulations.stream().mapToLong(ReadmePicture::most).max().orElseThrow();
    }

    static String draw(List<Simulation> simulations, PictureStyle style) {
        return new ReadmePicture(simulations).draw(style);
    }

    private String draw(PictureStyle style) {
        long height = FIRST_PANEL + PANEL * simulations.size() - 200 + AXIS;
        String question = "How many got through in any " + period() + "?";
        svg.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sluice\" role=\"img\" width=\"" + WIDTH
                + "\" height=\"" + Svg.tenths(height) + "\" viewBox=\"0 0 " + WIDTH + " " + Svg.tenths(height) + "\">");
        svg.raw("<title>" + Svg.escape(question) + "</title>");
        svg.raw(style.css()).raw(LETTERS);
        svg.raw("<rect class=\"ground\" x=\".5\" y=\".5\" width=\"" + (WIDTH - 1) + "\" height=\""
                + Svg.tenths(height - 10) + "\" rx=\"6\"/>");
        svg.text("title", EDGE, 320, question);
        long top = FIRST_PANEL;
        for (Simulation simulation : simulations) {
            panel(simulation, top);
            top += PANEL;
        }
        for (long at = 0; at <= durationMicros; at += TICK_MICROS) {
            svg.text(at == 0 ? "tick first" : "tick", x(at), height - 120, TimeAxis.label(at, TICK_MICROS));
        }
        return svg.raw("</svg>").toString();
    }

    private void panel(Simulation simulation, long top) {
        long permits = simulation.limit().permits();
        long floor = top + HEADING + 140 + CHART;
        boolean over = most(simulation) > permits;
        String name = PictureText.english().algorithm(LimitSummary.of(simulation.limit()));
        svg.text("name", EDGE, top + HEADING, name.replaceFirst(",.*", ""));
        svg.text(over ? "most over" : "most", RIGHT, top + HEADING, most(simulation) + " in " + period());
        StepCurve curve =
                new StepCurve(simulation.startedInPeriod(), durationMicros, this::x, value -> y(value, floor));
        svg.path("area", curve.areaDownTo(0));
        if (over) {
            svg.path("above", curve.above(permits).areaDownTo(permits));
        }
        svg.path("curve", curve.path());
        svg.line("base", EDGE, floor, RIGHT, floor);
        svg.line("limit", EDGE, y(permits, floor), RIGHT, y(permits, floor));
        svg.text("limit-name", EDGE + 20, y(permits, floor) - 60, "limit " + permits);
    }

    private String period() {
        return Durations.text(simulations.get(0).period());
    }

    private static long most(Simulation simulation) {
        return simulation.startedInPeriod().stream()
                .mapToLong(Simulation.Step::value)
                .max()
                .orElse(0);
    }

    private long x(long atMicros) {
        return EDGE + (RIGHT - EDGE) * atMicros / durationMicros;
    }

    private long y(long value, long floor) {
        return floor - CHART * value / highest;
    }
}
