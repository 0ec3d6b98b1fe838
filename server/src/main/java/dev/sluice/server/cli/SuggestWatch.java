package dev.sluice.server.cli;

import dev.sluice.Durations;
import dev.sluice.simulate.suggest.Suggestion;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes a proposal every so often: a file of shadow rules and, if servers are given, the same rules in force there, where
 * they count what they would deny. A person applies what is good.
 *
 * <p>It keeps nothing but the files. After a restart the next proposal is due when it would have been.
 */
final class SuggestWatch {
    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);
    private static final Pattern DECISIONS =
            Pattern.compile("(?m)^sluice_decisions_total\\{outcome=\"(\\w+)\",rule=\"([^\"\\v]+)\"} ([0-9.E]+)$");

    /** Makes a suggestion from the newest traffic. */
    interface Source {
        Suggestion suggest() throws IOException;
    }

    private final ProposalFolder folder;
    private final Duration every;
    private final Source source;
    private final List<AdminClient> servers;
    private final InstantSource clock;
    private final PrintWriter out;
    private final PrintWriter err;

    /**
     * With the servers where the rules are put in force as shadow rules.
     *
     * @param out gets a line for each proposal
     */
    SuggestWatch(
            ProposalFolder folder,
            Duration every,
            Source source,
            List<AdminClient> servers,
            InstantSource clock,
            PrintWriter out,
            PrintWriter err) {
        this.folder = folder;
        this.every = every;
        this.source = source;
        this.servers = List.copyOf(servers);
        this.clock = clock;
        this.out = out;
        this.err = err;
    }

    /** Runs until the thread is interrupted. */
    void run() {
        try {
            while (true) {
                Thread.sleep(Math.max(1, next().toMillis()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes a proposal if one is due. Returns how long to wait then. What goes wrong is said, and tried again soon. */
    Duration next() {
        try {
            Instant newest = folder.newest();
            Instant now = clock.instant();
            Instant due = newest == null || newest.isAfter(now) ? now : newest.plus(every);
            if (due.isAfter(now)) {
                return Duration.between(now, due);
            }
            propose(now);
            return every;
        } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError e) { // less traffic may do
            String reason = e.getMessage() == null || e instanceof Error ? e.toString() : e.getMessage();
            err.println(clock.instant().truncatedTo(ChronoUnit.SECONDS) + " no proposal: " + reason
                    + "; the next attempt is in " + Durations.text(shorter()));
            err.flush();
            return shorter();
        }
    }

    private Duration shorter() {
        return every.compareTo(AFTER_FAILURE) < 0 ? every : AFTER_FAILURE;
    }

    private void propose(Instant now) throws IOException {
        Suggestion suggestion = source.suggest();
        ShadowRules rules = ShadowRules.of(suggestion.ruleFile());
        List<String> effects = new ArrayList<>();
        for (AdminClient server : servers) {
            effects.addAll(effects(server));
        }
        Path file = folder.write(now, text(now, suggestion, rules, effects));
        say(now, file + ": " + String.join(", ", rules.names()));
        effects.forEach(effect -> say(now, "so far " + effect));
        for (AdminClient server : servers) {
            put(server, rules, now);
        }
    }

    private static String text(Instant now, Suggestion suggestion, ShadowRules rules, List<String> effects) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "# Proposed on %s, from %,d requests of %,d clients from %s to %s.%n",
                now.truncatedTo(ChronoUnit.SECONDS),
                suggestion.requests(),
                suggestion.clients(),
                suggestion.first().truncatedTo(ChronoUnit.SECONDS),
                suggestion.last().truncatedTo(ChronoUnit.SECONDS)));
        text.append(
                "# These rules deny nothing: they count what they would deny. To apply one, copy it into your rule file\n");
        text.append("# without 'on-exceed: shadow' and without '-proposed' in its name.\n");
        effects.forEach(effect ->
                text.append("# What was proposed before: ").append(effect).append('\n'));
        suggestion
                .notes()
                .forEach(note ->
                        text.append("# ").append(note.replaceAll("\\R", " ")).append('\n'));
        return text.append(rules.file()).toString();
    }

    /** What the rules that were proposed before would have denied on a server so far. */
    private static List<String> effects(AdminClient server) throws IOException {
        Map<String, long[]> counts = new TreeMap<>();
        Matcher decisions = DECISIONS.matcher(server.get("/metrics").text());
        while (decisions.find()) {
            if (decisions.group(2).endsWith(ShadowRules.SUFFIX)) {
                long count = (long) Double.parseDouble(decisions.group(3));
                long[] both = counts.computeIfAbsent(decisions.group(2), name -> new long[2]);
                both[0] += count;
                both[1] += decisions.group(1).equals("allowed") ? 0 : count;
            }
        }
        List<String> effects = new ArrayList<>();
        counts.forEach((name, both) -> effects.add(String.format(
                Locale.ROOT, "%s would have denied %,d of %,d on %s", name, both[1], both[0], server.url())));
        return effects;
    }

    /** Puts the rules in force beside those that are, unless somebody changes those meanwhile. */
    private void put(AdminClient server, ShadowRules rules, Instant now) {
        try {
            AdminClient.Reply inForce = server.get("/v1/rules", "Accept", "application/yaml");
            String together = rules.beside(inForce.text());
            if (!together.equals(inForce.text())) {
                server.put(
                        "/v1/rules",
                        together,
                        "Content-Type",
                        "application/yaml",
                        "If-Match",
                        inForce.headers().firstValue("ETag").orElse("*"));
            }
            say(now, "in force as shadow rules on " + server.url());
        } catch (IOException | IllegalArgumentException e) {
            err.println(now.truncatedTo(ChronoUnit.SECONDS) + " the proposal is not in force on " + server.url() + ": "
                    + e.getMessage());
            err.flush();
        }
    }

    private void say(Instant now, String what) {
        out.println(now.truncatedTo(ChronoUnit.SECONDS) + " " + what);
        out.flush();
    }
}
