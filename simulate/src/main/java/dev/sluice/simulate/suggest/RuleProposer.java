package dev.sluice.simulate.suggest;

import dev.sluice.Durations;
import dev.sluice.simulate.suggest.traffic.Endpoints;
import dev.sluice.simulate.suggest.traffic.Endpoints.Endpoint;
import dev.sluice.simulate.suggest.traffic.Events;
import dev.sluice.simulate.suggest.traffic.ObservedClient;
import dev.sluice.simulate.suggest.traffic.ObservedTraffic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Chooses rules: one on all requests, and one on each endpoint that abuse concentrates on.
 *
 * <p>What may be touched of the clients that are not left out is shared by the rules, so that all together keep the share
 * that is asked for. The limit is what these clients need, and some headroom. Of the windows from a minute on the shortest
 * is taken that cuts nearly as much of the others as the best one does.
 */
final class RuleProposer {
    private static final Duration USUAL_WINDOW = Duration.ofMinutes(1);
    private static final int TIDY_FROM = 20;

    private final ObservedTraffic traffic;
    private final LimitFinder finder;
    private final SuggestOptions options;
    private final Set<String> names = new HashSet<>();

    RuleProposer(ObservedTraffic traffic, LimitFinder finder, SuggestOptions options) {
        this.traffic = traffic;
        this.finder = finder;
        this.options = options;
    }

    /**
     * Proposes rules.
     *
     * @param leftOut the clients that are left out, by what they look like
     */
    List<ProposedRule> propose(Map<Behaviour, List<ObservedClient>> leftOut) {
        Map<Integer, Behaviour> endpoints = endpointsOfAbuse(leftOut);
        int rules = endpoints.size() + 1;
        List<ProposedRule> proposed = new ArrayList<>();
        endpoints.forEach((endpoint, behaviour) -> proposed.add(onEndpoint(endpoint, behaviour, rules)));
        proposed.add(onAll(rules, List.copyOf(proposed)));
        return proposed;
    }

    /** The rule on all requests: its window is chosen by what it cuts of what the others leave. */
    private ProposedRule onAll(int rules, List<ProposedRule> others) {
        List<ProposedRule> candidates = new ArrayList<>();
        for (WindowLimit found : finder.find(Scope.ALL, rules)) {
            String reason = String.format(
                    Locale.ROOT,
                    "%s of the %s need at most %d in any %s.",
                    options.keepText(),
                    options.of() == SuggestOptions.Of.CLIENTS ? "clients" : "requests",
                    found.permits(),
                    text(found.window()));
            long permits = withHeadroom(found.permits());
            candidates.add(rule("requests-per-" + keyName(), Scope.ALL, found, permits, reason, null));
        }
        return choose(candidates, candidate -> {
            List<ProposedRule> together = new ArrayList<>(others);
            together.add(candidate);
            return finder.together(together).leftOutRequests();
        });
    }

    private ProposedRule onEndpoint(int number, Behaviour behaviour, int rules) {
        Scope scope = Scope.of(traffic.endpoints(), number);
        String name = name(traffic.endpoints().get(number));
        long users = finder.users(scope);
        boolean known = users >= Thresholds.MIN_EVIDENCE;
        String whose = behaviour == Behaviour.BROKEN ? "broken client" : behaviour.text();
        List<ProposedRule> candidates = new ArrayList<>();
        for (WindowLimit found : finder.find(scope, rules)) {
            String reason = "Where " + whose + "s go, and " + need(users, found, known);
            long least = known ? Thresholds.MIN_PERMITS : Thresholds.PERMITS_WITHOUT_EVIDENCE;
            if (known || found.window().compareTo(USUAL_WINDOW) <= 0) {
                candidates.add(
                        rule(name, scope, found, Math.max(least, withHeadroom(found.permits())), reason, behaviour));
            }
        }
        return choose(candidates, candidate -> candidate.effect().leftOutRequests());
    }

    private static String need(long users, WindowLimit found, boolean known) {
        if (users == 0) {
            return "nobody else: a guess.";
        }
        return String.format(
                Locale.ROOT,
                "%,d others, which need at most %d in any %s%s.",
                users,
                found.permits(),
                text(found.window()),
                known ? "" : "; they are too few to know, so this is a guess");
    }

    private ProposedRule rule(
            String name, Scope scope, WindowLimit found, long permits, String reason, @Nullable Behaviour against) {
        Effect effect = finder.effect(scope, found.window(), permits);
        return new ProposedRule(name, options.key(), scope, found, permits, reason, against, effect);
    }

    /**
     * The shortest window from a minute on that cuts nearly as much as the best one; the longest one if the log is too short
     * for a minute.
     */
    private ProposedRule choose(List<ProposedRule> candidates, ToLongFunction<ProposedRule> cut) {
        List<ProposedRule> seen = candidates.stream().filter(this::isSeenOften).toList();
        Map<ProposedRule, Long> usual = new LinkedHashMap<>();
        seen.stream()
                .filter(candidate -> candidate.window().compareTo(USUAL_WINDOW) >= 0)
                .forEach(candidate -> usual.put(candidate, cut.applyAsLong(candidate)));
        long best = usual.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return usual.entrySet().stream()
                .filter(candidate -> candidate.getValue() >= (1 - Thresholds.NEARLY_AS_MUCH) * best)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(seen.isEmpty() ? candidates.get(0) : seen.get(seen.size() - 1));
    }

    private boolean isSeenOften(ProposedRule candidate) {
        return traffic.spanMicros()
                >= Thresholds.WINDOWS_TO_PROPOSE * Thresholds.WINDOW_IN_LOG * LimitFinder.micros(candidate.window());
    }

    /** What was needed, what that varies by, and a number that one can remember. */
    static long withHeadroom(long permits) {
        long free = permits + (long) Math.ceil(Thresholds.HEADROOM_ROOTS * Math.sqrt((double) permits));
        long step = free < TIDY_FROM ? 1 : 5;
        for (long tens = 100; tens <= free; tens *= 10) {
            step = tens / 10;
        }
        return (free + step - 1) / step * step;
    }

    // ---- Where abuse goes

    private Map<Integer, Behaviour> endpointsOfAbuse(Map<Behaviour, List<ObservedClient>> leftOut) {
        Map<Behaviour, long[]> requests = new EnumMap<>(Behaviour.class);
        leftOut.forEach((behaviour, clients) -> requests.put(behaviour, byEndpoint(clients)));
        record Target(int endpoint, Behaviour behaviour, long requests) {}
        List<Target> targets = new ArrayList<>();
        requests.forEach((behaviour, counts) -> {
            long sum = 0;
            for (long count : counts) {
                sum += count;
            }
            for (int i = 0; i < counts.length; i++) {
                if (i != Endpoints.OTHER && counts[i] > 0 && counts[i] >= Thresholds.ENDPOINT_OF_ABUSE * sum) {
                    targets.add(new Target(i, behaviour, counts[i]));
                }
            }
        });
        targets.sort(Comparator.comparingLong(Target::requests).reversed());
        Map<Integer, Behaviour> chosen = new LinkedHashMap<>();
        for (Target target : targets) {
            if (chosen.size() < Thresholds.MAX_ENDPOINT_RULES) {
                chosen.putIfAbsent(target.endpoint, target.behaviour);
            }
        }
        return chosen;
    }

    private long[] byEndpoint(List<ObservedClient> clients) {
        long[] counts = new long[traffic.endpoints().size()];
        Events events = new Events();
        for (ObservedClient client : clients) {
            client.read(events);
            for (int i = 0; i < events.count(); i++) {
                counts[Endpoints.endpoint(events.mark(i))]++;
            }
        }
        return counts;
    }

    // ---- Names

    private String keyName() {
        return clean(String.join("-", options.key()));
    }

    private String name(Endpoint endpoint) {
        String path = clean(endpoint.path().replace("*", "")).toLowerCase(Locale.ROOT);
        String method =
                endpoint.method().isEmpty() ? "" : clean(endpoint.method()).toLowerCase(Locale.ROOT) + "-";
        String name = method + (path.isEmpty() ? "root" : path) + "-per-" + keyName();
        name = name.length() <= 90 ? name : name.substring(0, 90);
        String unique = name;
        for (int i = 2; !names.add(unique); i++) {
            unique = name + "-" + i;
        }
        return unique;
    }

    private static String clean(String text) {
        return text.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-|-$", "");
    }

    private static String text(Duration window) {
        return Durations.text(window);
    }
}
