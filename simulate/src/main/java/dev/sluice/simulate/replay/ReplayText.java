package dev.sluice.simulate.replay;

import dev.sluice.simulate.log.LogSummary;
import dev.sluice.simulate.log.WrongLine;
import dev.sluice.simulate.svg.TimeAxis;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A replay as text for a terminal. */
public final class ReplayText {
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MINUTES =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int TOP = 5;

    private final StringBuilder out = new StringBuilder();

    private ReplayText() {}

    /** The text of a report, with an end of line at its end. */
    public static String of(ReplayReport report) {
        ReplayText text = new ReplayText();
        text.log(report.log(), report.result());
        text.totals(report);
        if (report.other().isPresent()) {
            text.sideBySide(report.result(), report.other().get(), report.change());
        } else {
            report.result().rules().forEach(text::rule);
        }
        return text.out.toString();
    }

    private void line(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
    }

    // ---- The log

    private void log(LogSummary log, ReplayResult result) {
        String files = log.files().size() == 1
                ? log.files().get(0).file()
                : log.files().size() + " files";
        String formats = log.files().stream()
                .map(LogSummary.FileFormat::format)
                .distinct()
                .collect(Collectors.joining(", "));
        line(
                "%s (%s): %,d requests from %s to %s UTC",
                files,
                formats,
                result.requests(),
                SECONDS.format(instant(result.firstMicros())),
                SECONDS.format(instant(result.lastMicros())));
        notes(log).forEach(note -> line("%s", note));
    }

    /** What was wrong with a log, in sentences, each with its place. */
    static List<String> notes(LogSummary log) {
        List<String> notes = new ArrayList<>(log.notes());
        if (log.wrong() > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%,d of %,d lines are wrong and were left out%s:",
                    log.wrong(),
                    log.lines(),
                    log.wrong() > log.firstWrong().size() ? ", the first" : ""));
            for (WrongLine wrong : log.firstWrong()) {
                notes.add("  " + wrong);
            }
        }
        if (log.backwards() > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%,d requests are older than one before them, by up to %s, the first at %s; each was decided at the"
                            + " time of the latter",
                    log.backwards(),
                    TimeAxis.rounded(log.furthestBackMicros()),
                    log.firstBackwards()));
        }
        return notes;
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static String minute(long micros) {
        return MINUTES.format(instant(micros));
    }

    // ---- All rules together

    private void totals(ReplayReport report) {
        ReplayResult result = report.result();
        if (report.other().isEmpty()) {
            line("");
            line("%s", totals(result));
        }
        for (ReplayResult each : results(report)) {
            if (each.atBound() > 0) {
                line(
                        "%s: %,d decisions were made on a counter that keys had to share, because there was no memory for one"
                                + " of their own; give it more by SLUICE_JAVA_OPTS=-Xmx4g",
                        each.name(), each.atBound());
            }
        }
    }

    /** The result of each set of rules. */
    static List<ReplayResult> results(ReplayReport report) {
        List<ReplayResult> results = new ArrayList<>(List.of(report.result()));
        report.other().ifPresent(results::add);
        return results;
    }

    private static String totals(ReplayResult result) {
        return String.format(
                Locale.ROOT,
                "%s: allowed %,d (%s), denied %,d (%s)%s%s",
                result.name(),
                result.allowed(),
                percent(result.allowed(), result.requests()),
                result.denied(),
                percent(result.denied(), result.requests()),
                result.degraded() == 0 ? "" : String.format(Locale.ROOT, ", degraded %,d", result.degraded()),
                result.waited() == 0 ? "" : String.format(Locale.ROOT, ", waited %,d", result.waited()));
    }

    /** A part in percent, with a digit that says something. */
    static String percent(long part, long whole) {
        if (whole == 0 || part == 0) {
            return "0 %";
        }
        double percent = 100.0 * part / whole;
        String pattern = percent >= 99.95 && part < whole ? "%.3f %%" : percent >= 0.95 ? "%.1f %%" : "%.3f %%";
        return String.format(Locale.ROOT, pattern, percent);
    }

    // ---- One rule

    private void rule(RuleResult rule) {
        line("");
        line("%s: %s", rule.name(), rule.summary());
        if (rule.matched() == 0) {
            line("  it applied to no request");
            return;
        }
        line("  %s", numbers(rule));
        if (!rule.top().isEmpty()) {
            line("  %-40s %10s %10s %9s %8s %10s", "hit most", "requests", word(rule), "", "waited", "max/min");
            for (RuleResult.Key key :
                    rule.top().subList(0, Math.min(TOP, rule.top().size()))) {
                line(
                        "    %-38s %,10d %,10d %9s %,8d %,10d",
                        shown(key.key()),
                        key.requests(),
                        key.stopped(),
                        percent(key.stopped(), key.requests()),
                        key.waited(),
                        key.mostInMinute());
            }
        }
        if (!rule.worst().isEmpty()) {
            line("  worst minutes (UTC)");
            for (RuleResult.Moment moment : rule.worst()) {
                line(
                        "    %s  %,d %s, %,d of them %s",
                        minute(moment.startMicros()),
                        moment.stopped(),
                        word(rule),
                        moment.ofKey(),
                        shown(moment.key()));
            }
        }
    }

    static String numbers(RuleResult rule) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, "matched %,d, allowed %,d", rule.matched(), rule.allowed()));
        number(text, "denied", rule.denied(), rule.matched());
        number(text, "shed", rule.shed(), rule.matched());
        number(text, "degraded", rule.degraded(), rule.matched());
        number(text, "would have denied", rule.shadowed(), rule.matched());
        if (rule.waited() > 0) {
            text.append(String.format(
                    Locale.ROOT,
                    ", waited %,d (%s on average, %s at most)",
                    rule.waited(),
                    TimeAxis.rounded(rule.totalWaitMicros() / rule.waited()),
                    TimeAxis.rounded(rule.longestWaitMicros())));
        }
        return text.append(String.format(
                        Locale.ROOT,
                        "; %s%,d of %,d keys hit",
                        rule.complete() ? "" : "about ",
                        rule.keysHit(),
                        rule.keys()))
                .toString();
    }

    private static void number(StringBuilder text, String what, long count, long of) {
        if (count > 0) {
            text.append(String.format(Locale.ROOT, ", %s %,d (%s)", what, count, percent(count, of)));
        }
    }

    /** What happens to a request over the limit of a rule. */
    static String word(RuleResult rule) {
        return switch (rule.action()) {
            case DEGRADE -> "degraded";
            case SHADOW -> "shadowed";
            case REJECT, WAIT -> "denied";
        };
    }

    /** A key as it is shown: on one line, cut if it is long, without what a terminal would obey. */
    static String shown(String key) {
        if (key.isEmpty()) {
            return "(all requests)";
        }
        StringBuilder shown = new StringBuilder();
        key.codePoints().limit(64).forEach(c -> {
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                shown.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return key.codePointCount(0, key.length()) > 64 ? shown.append('…').toString() : shown.toString();
    }

    // ---- Two sets of rules

    private void sideBySide(ReplayResult one, ReplayResult other, ReplayReport.Change change) {
        line("");
        line("%-34s %16s %16s", "", cut(one.name()), cut(other.name()));
        row("allowed", one.allowed(), other.allowed());
        row("denied", one.denied(), other.denied());
        row("degraded", one.degraded(), other.degraded());
        row("waited", one.waited(), other.waited());
        line("%s", changes(one, other, change));
        for (String name : names(one, other)) {
            Optional<RuleResult> first = rule(one, name);
            Optional<RuleResult> second = rule(other, name);
            line("");
            line("%s", name);
            first.ifPresent(rule -> line("  %s: %s", cut(one.name()), rule.summary()));
            second.ifPresent(rule -> line("  %s: %s", cut(other.name()), rule.summary()));
            row("  matched", first.map(RuleResult::matched), second.map(RuleResult::matched));
            row("  stopped", first.map(RuleResult::stopped), second.map(RuleResult::stopped));
            row("  waited", first.map(RuleResult::waited), second.map(RuleResult::waited));
            row("  keys hit", first.map(RuleResult::keysHit), second.map(RuleResult::keysHit));
        }
    }

    static String changes(ReplayResult one, ReplayResult other, ReplayReport.Change change) {
        return String.format(
                Locale.ROOT,
                "%s denies %,d requests that %s allows, and allows %,d that it denies.",
                other.name(),
                change.denied(),
                one.name(),
                change.allowed());
    }

    /** The names of the rules of both. */
    static List<String> names(ReplayResult one, ReplayResult other) {
        List<String> names =
                new ArrayList<>(one.rules().stream().map(RuleResult::name).toList());
        other.rules().stream()
                .map(RuleResult::name)
                .filter(name -> !names.contains(name))
                .forEach(names::add);
        return names;
    }

    static Optional<RuleResult> rule(ReplayResult result, String name) {
        return result.rules().stream().filter(rule -> rule.name().equals(name)).findFirst();
    }

    private void row(String what, long one, long other) {
        row(what, Optional.of(one), Optional.of(other));
    }

    private void row(String what, Optional<Long> one, Optional<Long> other) {
        line("%-34s %16s %16s", what, number(one), number(other));
    }

    private static String number(Optional<Long> number) {
        return number.map(value -> String.format(Locale.ROOT, "%,d", value)).orElse("-");
    }

    private static String cut(String name) {
        String file = name.substring(name.lastIndexOf('/') + 1);
        return file.length() <= 16 ? file : file.substring(0, 15) + "…";
    }
}
