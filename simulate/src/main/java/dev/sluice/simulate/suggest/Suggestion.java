package dev.sluice.simulate.suggest;

import dev.sluice.simulate.log.LogSummary;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Limits for the traffic of a log, and what they follow from.
 *
 * @param options what was asked for
 * @param log what was read
 * @param requests the number of requests that have the key
 * @param clients the number of clients
 * @param first the time of the first request
 * @param last the time of the last request
 * @param groups how many clients look like what
 * @param leftOut the clients that limits are suggested without regard to, with the most requests first, at most
 *     {@link #MAX_NAMED}
 * @param kept the largest of the others, of each kind
 * @param windows the smallest limit for each window, on all requests
 * @param rules the rules to paste
 * @param together what these rules would have cut together
 * @param notes sentences about the traffic
 */
public record Suggestion(
        SuggestOptions options,
        LogSummary log,
        long requests,
        long clients,
        Instant first,
        Instant last,
        List<Group> groups,
        List<Assessment> leftOut,
        List<Assessment> kept,
        List<WindowLimit> windows,
        List<ProposedRule> rules,
        Effect together,
        List<String> notes) {
    /** How many clients are named. */
    public static final int MAX_NAMED = 100;

    /**
     * The clients that look like something.
     *
     * @param behaviour what they look like
     * @param clients how many there are
     * @param requests how many requests they made
     */
    public record Group(Behaviour behaviour, long clients, long requests) {}

    public Suggestion {
        groups = List.copyOf(groups);
        leftOut = List.copyOf(leftOut);
        kept = List.copyOf(kept);
        windows = List.copyOf(windows);
        rules = List.copyOf(rules);
        notes = List.copyOf(notes);
    }

    /** The number of clients that are left out, or that are not. */
    public long clients(boolean isLeftOut) {
        return groups.stream()
                .filter(group -> group.behaviour().isLeftOut() == isLeftOut)
                .mapToLong(Group::clients)
                .sum();
    }

    /** The number of requests of clients that are left out, or that are not. */
    public long requests(boolean isLeftOut) {
        return groups.stream()
                .filter(group -> group.behaviour().isLeftOut() == isLeftOut)
                .mapToLong(Group::requests)
                .sum();
    }

    /** A rule file with the rules. */
    public String ruleFile() {
        return "rules:\n" + rules.stream().map(ProposedRule::yaml).collect(Collectors.joining());
    }
}
