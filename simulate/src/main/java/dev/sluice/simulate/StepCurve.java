package dev.sluice.simulate;

import dev.sluice.simulate.svg.Svg;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * A value over time as the path of a step curve. Within a column of half a pixel only the extremes and the last value are
 * kept, so that the path stays short however many steps there are.
 */
final class StepCurve {
    private final List<Simulation.Step> steps;
    private final long durationMicros;
    private final LongUnaryOperator x;
    private final LongUnaryOperator y;

    /**
     * A curve.
     *
     * @param x the place of an instant, in tenths of a pixel
     * @param y the place of a value, in tenths of a pixel
     */
    StepCurve(List<Simulation.Step> steps, long durationMicros, LongUnaryOperator x, LongUnaryOperator y) {
        this.steps = steps;
        this.durationMicros = durationMicros;
        this.x = x;
        this.y = y;
    }

    /** The path, from the first instant to the last. */
    String path() {
        boolean fromStart = !steps.isEmpty() && steps.get(0).atMicros() == 0;
        long level = y.applyAsLong(fromStart ? steps.get(0).value() : 0);
        StringBuilder path = new StringBuilder();
        path.append('M').append(Svg.tenths(x.applyAsLong(0))).append(' ').append(Svg.tenths(level));
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
                long to = y.applyAsLong(steps.get(kept).value());
                if (to != level) {
                    path.append('V').append(Svg.tenths(to));
                    level = to;
                }
            }
        }
        return path.append('H')
                .append(Svg.tenths(x.applyAsLong(durationMicros)))
                .toString();
    }

    /** The area between the curve and a value, as a path. */
    String areaDownTo(long value) {
        return path() + "V" + Svg.tenths(y.applyAsLong(value)) + "H" + Svg.tenths(x.applyAsLong(0)) + "z";
    }

    /** The same curve where it is above a value, and that value where it is not. */
    StepCurve above(long value) {
        return new StepCurve(
                steps.stream()
                        .map(step -> new Simulation.Step(step.atMicros(), Math.max(value, step.value())))
                        .toList(),
                durationMicros,
                x,
                at -> y.applyAsLong(Math.max(value, at)));
    }

    private long column(Simulation.Step step) {
        return x.applyAsLong(step.atMicros()) / 5 * 5;
    }
}
