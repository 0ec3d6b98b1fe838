package dev.sluice.simulate.suggest;

import dev.sluice.Durations;
import dev.sluice.simulate.log.LogSummary;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;

/** A suggestion as text for people. */
public final class SuggestionText {
    private static final int MAX_NAMED = 10;

    private final Suggestion suggestion;
    private final StringBuilder text = new StringBuilder();

    private SuggestionText(Suggestion suggestion) {
        this.suggestion = suggestion;
    }

    /** The text, with an end of line at its end. */
    public static String of(Suggestion suggestion) {
        SuggestionText text = new SuggestionText(suggestion);
        text.log();
        text.clients();
        text.windows();
        text.rules();
        return text.text.toString();
    }

    /** A line. What stands in a log can be anything, so it is shown without control characters. */
    private void line(String format, Object... arguments) {
        String line = String.format(Locale.ROOT, format, arguments).replaceAll("\\p{Cntrl}", "?");
        text.append(line.stripTrailing()).append('\n');
    }

    private void log() {
        LogSummary log = suggestion.log();
        line(
                "%,d requests of %,d clients in %s, from %s to %s",
                suggestion.requests(),
                suggestion.clients(),
                length(Duration.between(suggestion.first(), suggestion.last())),
                suggestion.first(),
                suggestion.last());
        if (log.wrong() > 0) {
            line("%,d of %,d lines are wrong and do not count:", log.wrong(), log.lines());
            log.firstWrong().forEach(wrong -> line("  %s", wrong));
        }
        if (log.backwards() > 0) {
            line(
                    "%,d requests are older than one before them, by up to %s; the first is %s",
                    log.backwards(),
                    Durations.text(Duration.ofNanos(log.furthestBackMicros() * 1000)),
                    log.firstBackwards());
        }
        log.notes().forEach(note -> line("note: %s", note));
        suggestion.notes().forEach(note -> line("note: %s", note));
    }

    /** Rounded, since nobody needs the seconds of a day. */
    private static String length(Duration length) {
        if (length.toDays() > 1) {
            return Math.round(length.toMinutes() / 1440.0) + " days";
        }
        return length.toHours() > 1
                ? Math.round(length.toMinutes() / 60.0) + " hours"
                : Durations.text(Duration.ofSeconds(length.toSeconds()));
    }

    private void clients() {
        line("");
        line("%-10s %9s %12s %8s", "look like", "clients", "requests", "share");
        for (Suggestion.Group group : suggestion.groups()) {
            line(
                    "%-10s %,9d %,12d %6.1f %%%s",
                    group.behaviour().text(),
                    group.clients(),
                    group.requests(),
                    100.0 * group.requests() / suggestion.requests(),
                    group.behaviour().isLeftOut() ? "  left out" : "");
        }
        if (!suggestion.leftOut().isEmpty()) {
            line("");
            line("Left out, so that they do not raise the limits:");
            suggestion.leftOut().stream().limit(MAX_NAMED).forEach(this::client);
            long more = suggestion.clients(true) - MAX_NAMED;
            if (more > 0) {
                line("  and %,d more (--json names %d)", more, Suggestion.MAX_NAMED);
            }
        }
        line("");
        line("The largest of the others:");
        suggestion.kept().forEach(this::client);
    }

    private void client(Assessment client) {
        line(
                "  %-18s %-9s %,8d requests, up to %,d in a minute: %s",
                client.key(), client.behaviour().text(), client.requests(), client.mostInMinute(), client.reason());
    }

    private void windows() {
        SuggestOptions options = suggestion.options();
        boolean ofClients = options.of() == SuggestOptions.Of.CLIENTS;
        long whole = ofClients ? suggestion.clients(false) : suggestion.requests(false);
        line("");
        line(
                "The smallest limit that leaves %s of the %s untouched (at most %,d of %,d):",
                options.keepText(), ofClients ? "clients" : "requests", options.mayTouch(whole, 1), whole);
        line(
                "%-7s %9s %15s %7s   %-28s %s",
                "window", "limit", "in its parts", "burst", "cuts of those left out", "of the others");
        for (WindowLimit window : suggestion.windows()) {
            line(
                    "%-7s %,9d %15s %,7d   %-28s %s",
                    Durations.text(window.window()),
                    window.permits(),
                    window.parts() == 0 ? "-" : range(window),
                    window.burst(),
                    cut(window.effect().leftOutRequests(), window.effect().leftOutClients(), suggestion.requests(true)),
                    cut(window.effect().keptRequests(), window.effect().keptClients(), suggestion.requests(false)));
        }
        int parts =
                suggestion.windows().stream().mapToInt(WindowLimit::parts).max().orElse(0);
        line(
                "Parts: the halves of the log%s. A range that is far from the limit says that it is not sure.",
                parts > 2 ? " and the days of the week" : "");
        line("Burst: the size of a token bucket of the same rate that touches no more clients.");
    }

    private static String range(WindowLimit window) {
        return String.format(Locale.ROOT, "%,d to %,d", window.low(), window.high());
    }

    private static String cut(long requests, long clients, long all) {
        return requests == 0
                ? "nothing"
                : String.format(
                        Locale.ROOT,
                        "%,d (%.1f %%), %,d clients",
                        requests,
                        100.0 * requests / Math.max(1, all),
                        clients);
    }

    private void rules() {
        line("");
        line("Rules, with headroom for what chance adds:");
        line("");
        text.append(suggestion.ruleFile());
        line("");
        Effect together = suggestion.together();
        line(
                "Together they cut of those left out: %s; of the others: %s.",
                cut(together.leftOutRequests(), together.leftOutClients(), suggestion.requests(true)),
                cut(together.keptRequests(), together.keptClients(), suggestion.requests(false)));
        String againstAttackers = suggestion.rules().stream()
                .filter(rule -> rule.against() == Behaviour.ATTACKER)
                .map(ProposedRule::name)
                .collect(Collectors.joining(", "));
        if (!againstAttackers.isEmpty()) {
            line(
                    "Where the status is known, as in Spring, add `status: [401, 403]` to the condition of %s: then only"
                            + " failed attempts count.",
                    againstAttackers);
        }
    }
}
