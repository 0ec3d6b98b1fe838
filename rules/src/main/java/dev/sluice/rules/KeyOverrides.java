package dev.sluice.rules;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The blocks and overrides of single keys. They are read without a lock: a change, which is rare, copies the map. */
final class KeyOverrides {
    /** The largest number that can be in force at once. */
    private static final int MAX = 100_000;

    private record Id(String rule, String key) {}

    /** An override with its limiter; null for a block and for unlimited. */
    record Active(KeyOverride override, @Nullable NamedLimiter limiter) {
        private boolean isActive(Instant now) {
            return override.isActive(now);
        }
    }

    private final Consumer<String> forget;
    private volatile Map<Id, Active> all = Map.of();

    /** {@code forget} is called with the name of every limiter that is not needed any more. */
    KeyOverrides(Consumer<String> forget) {
        this.forget = forget;
    }

    /** The override of a key; null if there is none or it has ended. */
    @Nullable
    Active find(String rule, String key, InstantSource clock) {
        Map<Id, Active> now = all;
        Active found = now.isEmpty() ? null : now.get(new Id(rule, key));
        return found != null && found.isActive(clock.instant()) ? found : null;
    }

    synchronized void put(Active added, Instant now) {
        Map<Id, Active> next = filtered(each -> each.isActive(now));
        if (next.size() >= MAX) {
            throw new IllegalStateException("there are " + MAX + " blocks and overrides in force; clear some first");
        }
        next.put(new Id(added.override.rule(), added.override.key()), added);
        replace(next);
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
                forget.accept(each.limiter.name);
            }
        });
    }

    /** The overrides in force, the first to end first. */
    List<KeyOverride> list(Instant now) {
        return all.values().stream()
                .filter(each -> each.isActive(now))
                .map(Active::override)
                .sorted(Comparator.comparing(KeyOverride::until))
                .toList();
    }
}
