package dev.sluice.rules;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The interventions in force. Read without a lock: the whole map is replaced when one comes or goes, which is rare. */
final class KeyOverrides {
    /** The most that can be in force at once. */
    static final int MOST = 100_000;

    private record Place(String rule, String key) {}

    /** An intervention with the counter it brings; null for a block and for unlimited. */
    record Active(KeyOverride order, @Nullable NamedLimiter counter) {}

    private final Consumer<String> gone;
    private volatile Map<Place, Active> active = Map.of();

    /** {@code gone} is told the name of every counter that is not needed any more. */
    KeyOverrides(Consumer<String> gone) {
        this.gone = gone;
    }

    /** The one on a key, if it has not ended. */
    @Nullable
    Active find(String rule, String key, java.time.InstantSource clock) {
        Map<Place, Active> now = active;
        if (now.isEmpty()) {
            return null;
        }
        Active found = now.get(new Place(rule, key));
        return found == null || !found.order.until().isAfter(clock.instant()) ? null : found;
    }

    synchronized void put(Active added, Instant now) {
        Map<Place, Active> next = kept(each -> each.order.until().isAfter(now));
        if (next.size() >= MOST) {
            throw new IllegalStateException("there are " + MOST + " blocks and overrides in force; clear some first");
        }
        next.put(new Place(added.order.rule(), added.order.key()), added);
        become(next);
    }

    /** Ends the one on a key; says whether there was one. */
    synchronized boolean remove(String rule, String key) {
        Map<Place, Active> next = new HashMap<>(active);
        boolean removed = next.remove(new Place(rule, key)) != null;
        become(next);
        return removed;
    }

    /** Ends those that do not pass. */
    synchronized void retain(Predicate<Active> keep) {
        become(kept(keep));
    }

    private void become(Map<Place, Active> next) {
        Map<Place, Active> before = active;
        active = next;
        before.forEach((place, each) -> {
            Active now = next.get(place);
            if (each.counter != null && (now == null || now.counter == null)) {
                gone.accept(each.counter.name);
            }
        });
    }

    private Map<Place, Active> kept(Predicate<Active> keep) {
        Map<Place, Active> next = new HashMap<>(active);
        next.values().removeIf(keep.negate());
        return next;
    }

    /** Those that have not ended, the first to end first. */
    List<KeyOverride> list(Instant now) {
        return active.values().stream()
                .map(Active::order)
                .filter(order -> order.until().isAfter(now))
                .sorted(Comparator.comparing(KeyOverride::until))
                .toList();
    }
}
