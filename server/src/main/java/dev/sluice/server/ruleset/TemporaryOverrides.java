package dev.sluice.server.ruleset;

import dev.sluice.rules.engine.RuleEngine;
import dev.sluice.server.web.HttpProblem;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The temporary overrides in force on this server, kept the same as the shared ones. Changed by one thread.
 *
 * <p>A change takes effect on this server at once. The other servers get it at once, too, or as soon as the shared rules
 * can be reached again.
 */
public final class TemporaryOverrides {
    private static final System.Logger LOG = System.getLogger(TemporaryOverrides.class.getName());

    private final RuleEngine engine;
    private final SharedRules shared;
    private final Clock clock;
    private volatile Map<String, TemporaryOverride> inForce = Map.of();
    /** Changes that are not shared yet, by name; empty for an override that was removed. */
    private final Map<String, Optional<TemporaryOverride>> unshared = new LinkedHashMap<>();
    /** The state of the shared overrides when they were last read. */
    private @Nullable String lastRead;

    TemporaryOverrides(RuleEngine engine, SharedRules shared, Clock clock) {
        this.engine = engine;
        this.shared = shared;
        this.clock = clock;
    }

    /** The override of a key, or null. */
    public @Nullable TemporaryOverride of(String rule, String key) {
        TemporaryOverride override = inForce.get(TemporaryOverride.name(rule, key));
        return override == null || override.isOver(clock.instant()) ? null : override;
    }

    /** The overrides in force, the first to end first. */
    public List<TemporaryOverride> list() {
        Instant now = clock.instant();
        return inForce.values().stream()
                .filter(override -> !override.isOver(now))
                .sorted(Comparator.comparing(TemporaryOverride::until))
                .toList();
    }

    public int size() {
        return inForce.size();
    }

    /** Puts an override in force on this server; returns whether it is shared, too. */
    boolean put(TemporaryOverride override) {
        if (inForce.size() >= SharedRules.MAX_OVERRIDES && !inForce.containsKey(override.name())) {
            throw HttpProblem.of(
                    409,
                    "too-many-overrides",
                    "at most " + SharedRules.MAX_OVERRIDES + " keys can be blocked or overridden at a time");
        }
        override.apply(engine);
        Map<String, TemporaryOverride> next = new HashMap<>(inForce);
        next.put(override.name(), override);
        inForce = Map.copyOf(next);
        unshared.put(override.name(), Optional.of(override));
        return share();
    }

    /** Ends an override on this server; returns whether the end is shared, too. */
    boolean remove(String name) {
        Map<String, TemporaryOverride> next = new HashMap<>(inForce);
        TemporaryOverride removed = next.remove(name);
        if (removed != null) {
            engine.clear(removed.rule(), removed.key());
            inForce = Map.copyOf(next);
        }
        unshared.put(name, Optional.empty());
        return share();
    }

    /** Shares what is not shared yet, and takes over what other servers have changed. */
    void synchronize(SharedRules.State state) {
        boolean sharing = !unshared.isEmpty();
        while (!unshared.isEmpty()) {
            String name = unshared.keySet().iterator().next();
            Optional<TemporaryOverride> override = unshared.getOrDefault(name, Optional.empty());
            override.ifPresentOrElse(shared::put, () -> shared.remove(name));
            unshared.remove(name);
        }
        if (sharing || !state.overrides().equals(lastRead)) {
            String now = shared.state().overrides();
            replace(current(shared.overrides()));
            lastRead = now;
        }
    }

    /** The shared rules were lost: all overrides of this server have to be shared again. */
    void shareAllAgain() {
        inForce.forEach((name, override) -> unshared.putIfAbsent(name, Optional.of(override)));
    }

    /** Puts overrides in force for rules that were not there before. */
    void rulesChanged() {
        Set<String> applied = engine.keyOverrides().stream()
                .map(override -> TemporaryOverride.name(override.rule(), override.key()))
                .collect(Collectors.toSet());
        current(inForce).forEach((name, override) -> {
            if (!applied.contains(name)) {
                tryToApply(override);
            }
        });
    }

    /** Removes overrides whose time is over. */
    void removeExpired() {
        Instant now = clock.instant();
        inForce.forEach((name, override) -> {
            if (override.isOver(now)) {
                remove(name);
            }
        });
    }

    private boolean share() {
        try {
            synchronize(shared.state());
            return true;
        } catch (SharedRules.UnreachableException later) {
            return false;
        }
    }

    private void replace(Map<String, TemporaryOverride> next) {
        Map<String, TemporaryOverride> now = inForce;
        now.forEach((name, override) -> {
            if (!next.containsKey(name)) {
                engine.clear(override.rule(), override.key());
            }
        });
        next.forEach((name, override) -> {
            if (!override.equals(now.get(name))) {
                tryToApply(override);
            }
        });
        inForce = Map.copyOf(next);
    }

    /** The rule of another server's override may not be on this server yet, or no longer. */
    private void tryToApply(TemporaryOverride override) {
        try {
            override.apply(engine);
        } catch (HttpProblem e) {
            LOG.log(System.Logger.Level.WARNING, "{0} is not in force here: {1}", override, e.getMessage());
        }
    }

    private Map<String, TemporaryOverride> current(Map<String, TemporaryOverride> overrides) {
        Instant now = clock.instant();
        Map<String, TemporaryOverride> current = new HashMap<>(overrides);
        current.values().removeIf(override -> override.isOver(now));
        return current;
    }
}
