package dev.sluice.server.admin;

import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What holds for single keys for a while, here and on the board. Changed by one thread.
 *
 * <p>A hold is in force here at once. The board, and so the other servers, get it at once, too, or else when the board can
 * be asked again.
 */
final class Holds {
    private static final System.Logger LOG = System.getLogger(Holds.class.getName());

    private final RuleTarget target;
    private final RuleBoard board;
    private final Clock clock;
    private volatile Map<String, KeyHold> inForce = Map.of();
    /** What the board has not been told yet; empty for a hold that ends. */
    private final Map<String, Optional<KeyHold>> unposted = new LinkedHashMap<>();

    private @Nullable String seen;

    Holds(RuleTarget target, RuleBoard board, Clock clock) {
        this.target = target;
        this.board = board;
        this.clock = clock;
    }

    /** What holds for a key, or null. */
    @Nullable
    KeyHold of(String rule, String key) {
        KeyHold hold = inForce.get(KeyHold.name(rule, key));
        return hold == null || hold.isOver(clock.instant()) ? null : hold;
    }

    /** How many there are. */
    int size() {
        return inForce.size();
    }

    /** Puts a hold in force, and whether on the board, too. */
    boolean put(KeyHold hold) {
        if (inForce.size() >= RuleBoard.MOST_HOLDS && !inForce.containsKey(hold.name())) {
            throw HttpProblem.of(
                            409,
                            "too-many-holds",
                            RuleBoard.MOST_HOLDS + " keys are blocked or overridden, which is the most")
                    .refusal();
        }
        target.hold(hold);
        Map<String, KeyHold> next = new HashMap<>(inForce);
        next.put(hold.name(), hold);
        inForce = Map.copyOf(next);
        unposted.put(hold.name(), Optional.of(hold));
        return isPosted();
    }

    /** Ends a hold, and whether on the board, too. */
    boolean drop(String name) {
        Map<String, KeyHold> next = new HashMap<>(inForce);
        KeyHold dropped = next.remove(name);
        if (dropped != null) {
            target.drop(dropped);
            inForce = Map.copyOf(next);
        }
        unposted.put(name, Optional.empty());
        return isPosted();
    }

    /** Tells the board what it does not know, and does what it says, if it says anything new. */
    void follow(RuleBoard.Glance glance) {
        boolean posted = !unposted.isEmpty();
        post();
        if (posted || !glance.holds().equals(seen)) {
            String now = board.glance().holds();
            adopt(stillHolding(board.holds()));
            seen = now;
        }
    }

    /** The board has lost everything: tells it what holds here. */
    void putUpAgain() {
        inForce.forEach((name, hold) -> unposted.putIfAbsent(name, Optional.of(hold)));
    }

    /** Other rules are in force: what held for a rule that was not there may hold now. */
    void rulesChanged() {
        Set<String> held = target.holds();
        stillHolding(inForce).forEach((name, hold) -> {
            if (!held.contains(name)) {
                hold(hold);
            }
        });
    }

    /** Takes down what is over. */
    void sweep() {
        Instant now = clock.instant();
        inForce.forEach((name, hold) -> {
            if (hold.isOver(now)) {
                drop(name);
            }
        });
    }

    private boolean isPosted() {
        try {
            follow(board.glance());
            return true;
        } catch (RuleBoard.Unreachable later) {
            return false;
        }
    }

    private void post() {
        while (!unposted.isEmpty()) {
            String name = unposted.keySet().iterator().next();
            Optional<KeyHold> hold = unposted.getOrDefault(name, Optional.empty());
            hold.ifPresentOrElse(board::hold, () -> board.drop(name));
            unposted.remove(name);
        }
    }

    private void adopt(Map<String, KeyHold> next) {
        Map<String, KeyHold> now = inForce;
        now.forEach((name, hold) -> {
            if (!next.containsKey(name)) {
                target.drop(hold);
            }
        });
        next.forEach((name, hold) -> {
            if (!hold.equals(now.get(name))) {
                hold(hold);
            }
        });
        inForce = Map.copyOf(next);
    }

    /** A rule of another server need not be here yet, or any more. */
    private void hold(KeyHold hold) {
        try {
            target.hold(hold);
        } catch (HttpProblem.Refusal e) {
            LOG.log(System.Logger.Level.WARNING, "{0} is not in force here: {1}", hold, e.getMessage());
        }
    }

    private Map<String, KeyHold> stillHolding(Map<String, KeyHold> holds) {
        Instant now = clock.instant();
        Map<String, KeyHold> still = new HashMap<>(holds);
        still.values().removeIf(hold -> hold.isOver(now));
        return still;
    }
}
