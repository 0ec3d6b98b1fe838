package dev.sluice.rules.engine;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Store;
import dev.sluice.rules.KeyOverride;
import dev.sluice.rules.Rule;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The blocks and overrides of single keys. They are read without a lock: a change, which is rare, copies the map. */
final class KeyOverrides {
    /** The largest number that can be in force at once. */
    private static final int MAX = 100_000;
    /** Between the rule and the key in the name of a limiter for one key. */
    private static final String NAME = "/key=";

    private record Id(String rule, String key) {}

    /** An override with its limiter; null for a block and for unlimited. */
    record Active(KeyOverride override, @Nullable NamedLimiter limiter) {
        private boolean isActive(Instant now) {
            return override.isActive(now);
        }
    }

    private final Store store;
    private final InstantSource clock;
    private volatile Map<Id, Active> all = Map.of();

    /** Overrides with limiters of {@code store}, which end by {@code clock}. */
    KeyOverrides(Store store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /** The override of a key; null if there is none or it has ended. */
    @Nullable
    Active find(String rule, String key) {
        Map<Id, Active> now = all;
        Active found = now.isEmpty() ? null : now.get(new Id(rule, key));
        return found != null && found.isActive(clock.instant()) ? found : null;
    }

    /** The limiter of this name that an override puts in force for a key; null if there is none now. */
    @Nullable
    NamedLimiter limiter(String name, String key) {
        int end = name.indexOf(NAME);
        Active active = end > 0 ? find(name.substring(0, end), key) : null;
        return active == null ? null : active.limiter();
    }

    /**
     * Puts an override of a key of {@code rule} in force.
     *
     * @throws IllegalArgumentException if it has ended already
     * @throws IllegalStateException if there are too many
     */
    synchronized void put(KeyOverride override, Rule rule) {
        Instant now = clock.instant();
        if (!override.isActive(now)) {
            throw new IllegalArgumentException("it would have ended already: until " + override.until());
        }
        Map<Id, Active> next = filtered(each -> each.isActive(now));
        if (next.size() >= MAX) {
            throw new IllegalStateException("there are " + MAX + " blocks and overrides in force; clear some first");
        }
        NamedLimiter limiter = override.limits().isEmpty() ? null : limiter(override, rule);
        next.put(new Id(override.rule(), override.key()), new Active(override, limiter));
        replace(next);
    }

    private NamedLimiter limiter(KeyOverride override, Rule rule) {
        String name = override.rule() + NAME + override.key();
        Limit[] limits = override.limits().toArray(Limit[]::new);
        Limiter limiter = store.limiter(name, rule.onStoreFailure(), limits);
        return new NamedLimiter(name, rule, limiter, Rule.Batch.OFF, override.limits());
    }

    /** Ends the override of a key. Returns whether there was one. */
    synchronized boolean remove(String rule, String key) {
        Map<Id, Active> next = new HashMap<>(all);
        boolean removed = next.remove(new Id(rule, key)) != null;
        replace(next);
        return removed;
    }

    /** Ends the overrides of all other rules. */
    synchronized void retainRules(Predicate<String> rules) {
        replace(filtered(each -> rules.test(each.override.rule())));
    }

    private Map<Id, Active> filtered(Predicate<Active> keep) {
        Map<Id, Active> next = new HashMap<>(all);
        next.values().removeIf(keep.negate());
        return next;
    }

    private void replace(Map<Id, Active> next) {
        Map<Id, Active> before = all;
        all = next;
        before.forEach((id, each) -> {
            Active now = next.get(id);
            if (each.limiter != null && (now == null || now.limiter == null)) {
                store.forget(each.limiter.name);
            }
        });
    }

    /** The overrides in force, the first to end first. */
    List<KeyOverride> list() {
        Instant now = clock.instant();
        return all.values().stream()
                .filter(each -> each.isActive(now))
                .map(Active::override)
                .sorted(Comparator.comparing(KeyOverride::until))
                .toList();
    }
}
