package dev.sluice.simulate.judge;

import dev.sluice.simulate.judge.Judge.Judged;
import dev.sluice.simulate.judge.Judge.Outcome;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Judged logs as a table in Markdown, with the worst first named below it. */
public final class JudgedTable {
    /** The largest share of good clients that may be touched, in percent. */
    public static final double MAX_TOUCHED = 0.1;

    /** The smallest share of abusive requests that must be cut, in percent. */
    public static final double MIN_CUT = 95;

    private JudgedTable() {}

    /** The table. */
    public static String of(List<Judged> judged) {
        StringBuilder table = new StringBuilder("""
                | seed | requests | good clients touched | abusive requests cut | another day: touched | cut | rules |
                |---|---|---|---|---|---|---|
                """);
        for (Judged each : judged) {
            table.append(String.format(
                    Locale.ROOT,
                    "| %d | %,d | %s | %s | %s | %s | %s |%n",
                    each.seed(),
                    each.requests(),
                    touched(each.outcome()),
                    cut(each.outcome()),
                    touched(each.nextDay()),
                    cut(each.nextDay()),
                    each.limits()));
        }
        long met = judged.stream().filter(each -> isMet(each.outcome())).count();
        Judged leastCut =
                worst(judged, Comparator.comparingDouble(each -> -each.outcome().cutPercent()));
        Judged mostTouched =
                worst(judged, Comparator.comparingDouble(each -> each.outcome().touchedPercent()));
        table.append(String.format(
                Locale.ROOT,
                "%nBoth targets are met by %d of %d seeds. Least cut: seed %d, %.2f %%. Most touched: seed %d, %.3f %%.%n",
                met,
                judged.size(),
                leastCut.seed(),
                leastCut.outcome().cutPercent(),
                mostTouched.seed(),
                mostTouched.outcome().touchedPercent()));
        return table.toString();
    }

    /** Whether rules did what is asked of them. */
    public static boolean isMet(Outcome outcome) {
        return outcome.touchedPercent() <= MAX_TOUCHED && outcome.cutPercent() >= MIN_CUT;
    }

    private static Judged worst(List<Judged> judged, Comparator<Judged> badness) {
        return judged.stream().max(badness).orElseThrow();
    }

    private static String touched(Outcome outcome) {
        return String.format(Locale.ROOT, "%d of %,d", outcome.goodTouched(), outcome.goodClients());
    }

    private static String cut(Outcome outcome) {
        return String.format(Locale.ROOT, "%.1f %%", outcome.cutPercent());
    }
}
