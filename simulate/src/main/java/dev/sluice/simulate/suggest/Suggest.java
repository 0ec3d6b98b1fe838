package dev.sluice.simulate.suggest;

import dev.sluice.simulate.log.LogException;
import dev.sluice.simulate.log.file.LogSource;
import dev.sluice.simulate.suggest.traffic.Endpoints;
import dev.sluice.simulate.suggest.traffic.Events;
import dev.sluice.simulate.suggest.traffic.ObservedClient;
import dev.sluice.simulate.suggest.traffic.ObservedTraffic;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Suggests limits from the traffic of a log.
 *
 * <p>The log is read once. Then its clients are told apart by what they did, and those that look like abuse are left out,
 * so that they do not raise the limits that are meant for them.
 */
public final class Suggest {
    private static final int KEPT_NAMED = 3;

    private final ObservedTraffic traffic;
    private final SuggestOptions options;
    private final List<String> notes = new ArrayList<>();
    private final Map<Behaviour, List<ObservedClient>> byBehaviour = new EnumMap<>(Behaviour.class);
    private final List<Assessment> leftOutNamed = new ArrayList<>();
    private final List<Assessment> keptNamed = new ArrayList<>();
    private final List<ObservedClient> kept = new ArrayList<>();
    private final List<ObservedClient> leftOut = new ArrayList<>();

    private Suggest(ObservedTraffic traffic, SuggestOptions options) {
        this.traffic = traffic;
        this.options = options;
    }

    /**
     * Reads a log and suggests limits.
     *
     * @throws LogException if the log cannot be read, lacks the key, or has no request
     */
    public static Suggestion of(LogSource source, SuggestOptions options) {
        ObservedTraffic traffic = ObservedTraffic.read(source, options.key(), options.maxBytes());
        if (traffic.requests() == 0) {
            throw new LogException(
                    traffic.withoutKey() == 0
                            ? "there is no request to learn from: "
                                    + String.join("; ", source.summary().notes())
                            : "none of the " + traffic.withoutKey() + " requests has the key "
                                    + String.join(", ", options.key()));
        }
        return new Suggest(traffic, options).suggestion(source);
    }

    private Suggestion suggestion(LogSource source) {
        tellApart();
        if (kept.isEmpty()) {
            notes.add("every client looks like abuse: the limits are those that leave these clients untouched");
            kept.addAll(leftOut);
            leftOut.clear();
        }
        LimitFinder finder = new LimitFinder(traffic, kept, leftOut, options);
        List<WindowLimit> windows = finder.find(Scope.ALL, 1);
        Map<Behaviour, List<ObservedClient>> abuse = new EnumMap<>(byBehaviour);
        abuse.keySet().removeIf(behaviour -> !behaviour.isLeftOut() || leftOut.isEmpty());
        List<ProposedRule> rules = new RuleProposer(traffic, finder, options).propose(abuse);
        notes();
        return new Suggestion(
                options,
                source.summary(),
                traffic.requests(),
                kept.size() + (long) leftOut.size(),
                instant(traffic.firstMicros()),
                instant(traffic.lastMicros()),
                groups(),
                leftOutNamed,
                keptNamed,
                windows,
                rules,
                finder.together(rules),
                notes);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private void tellApart() {
        boolean assetsTell = traffic.assets() >= Thresholds.ASSETS_OF_PEOPLE * traffic.requests();
        List<ObservedClient> clients = traffic.clients();
        Map<String, Assessment> assessments = new HashMap<>();
        Chunk.each(clients.size(), chunk -> {
                    Assessor assessor = new Assessor(traffic, assetsTell, options.zone());
                    Events events = new Events();
                    List<Assessment> assessed = new ArrayList<>();
                    chunk.forEach(i -> {
                        clients.get(i).read(events);
                        assessed.add(assessor.assess(clients.get(i), events));
                    });
                    return assessed;
                })
                .forEach(chunk -> chunk.forEach(each -> assessments.put(each.key(), each)));
        Counts inMinute = new Counts();
        assessments.values().forEach(each -> inMinute.add(each.mostInMinute()));
        long usual = inMinute.smallest(inMinute.total() / Thresholds.BUSIEST);
        for (ObservedClient client : clients) {
            Assessment assessment = assessments.get(client.key());
            if (assessment != null) {
                sort(client, Assessor.besideOthers(assessment, usual));
            }
        }
    }

    private void sort(ObservedClient client, Assessment assessment) {
        List<ObservedClient> alike = byBehaviour.computeIfAbsent(assessment.behaviour(), each -> new ArrayList<>());
        alike.add(client);
        if (assessment.behaviour().isLeftOut()) {
            leftOut.add(client);
            if (leftOutNamed.size() < Suggestion.MAX_NAMED) {
                leftOutNamed.add(assessment);
            }
        } else {
            kept.add(client);
            if (alike.size() <= KEPT_NAMED) {
                keptNamed.add(assessment);
            }
        }
        if (client.requests() > ObservedClient.MAX_TIMED) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s made %,d requests; its first %,d count",
                    client.key(),
                    client.requests(),
                    ObservedClient.MAX_TIMED));
        }
    }

    private List<Suggestion.Group> groups() {
        return byBehaviour.entrySet().stream()
                .map(entry -> new Suggestion.Group(
                        entry.getKey(),
                        entry.getValue().size(),
                        entry.getValue().stream()
                                .mapToLong(ObservedClient::requests)
                                .sum()))
                .toList();
    }

    // ---- Notes

    private void notes() {
        if (traffic.isCutOff()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "the log does not fit into memory: only its first %,d requests count, up to %s; give more with"
                            + " SLUICE_JAVA_OPTS=-Xmx4g, or name fewer logs",
                    traffic.requests(),
                    instant(traffic.lastMicros())));
        }
        if (traffic.withoutKey() > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%,d requests lack the key %s, and do not count",
                    traffic.withoutKey(),
                    String.join(", ", options.key())));
        }
        int clients = kept.size() + leftOut.size();
        if (clients < Thresholds.FEW_CLIENTS && traffic.requests() >= Thresholds.MANY_REQUESTS) {
            notes.add("there are only " + clients
                    + " clients: if the addresses are those of proxies, log the address of the client instead");
        }
        spreadAttack();
    }

    /** Says so if logins fail mostly, for clients that try a few times each. */
    private void spreadAttack() {
        long[] all = new long[traffic.endpoints().size()];
        long[] refused = new long[all.length];
        long[] refusedClients = new long[all.length];
        Events events = new Events();
        for (ObservedClient client : kept) {
            client.read(events);
            int last = -1;
            for (int i = 0; i < events.count(); i++) {
                int endpoint = Endpoints.endpoint(events.mark(i));
                all[endpoint]++;
                if (Endpoints.statusGroup(events.mark(i)) == Endpoints.REFUSED) {
                    refused[endpoint]++;
                    refusedClients[endpoint] += endpoint == last ? 0 : 1;
                    last = endpoint;
                }
            }
        }
        for (int i = 0; i < all.length; i++) {
            if (refused[i] >= Thresholds.SPREAD_REFUSALS && refused[i] >= Thresholds.MOST * all[i]) {
                notes.add(String.format(
                        Locale.ROOT,
                        "%s refused %,d of %,d requests of about %,d clients that are not left out, a few of each: if this"
                                + " is an attack from many addresses, no limit for each %s can stop it; limit by the"
                                + " account that is tried, or ask for a second factor",
                        traffic.endpoints().get(i),
                        refused[i],
                        all[i],
                        refusedClients[i],
                        String.join(", ", options.key())));
            }
        }
    }
}
