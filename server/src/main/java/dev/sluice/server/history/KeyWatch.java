package dev.sluice.server.history;

import dev.sluice.Ticker;
import dev.sluice.hotkeys.HotKey;
import dev.sluice.hotkeys.HotKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The keys that come most often, and those that are denied most often, in a memory that does not grow with their number.
 *
 * <p>Why only while somebody looks: a page that is not open needs no hot keys, and then a check pays nothing for them but
 * the reading of a flag. Denials are always counted, so that a page that is opened shows the minute before.
 *
 * <p>Why a rule is a number here: a detector keeps keys of up to 64 characters, and the rule is a part of the key. What it
 * leaves out of a longer key is in {@link LongKeys}.
 */
public final class KeyWatch {
    static final Duration HOT_WINDOW = Duration.ofSeconds(10);
    static final Duration DENIED_WINDOW = Duration.ofSeconds(60);
    /** A key is hot at ten requests a second. */
    private static final int HOT = 100;

    private static final Duration WATCHED = Duration.ofSeconds(10);
    /** Keys of up to this length are shown whole, and told to other servers whole. */
    static final int MAX_WHOLE = 256;

    private static final int MAX_RULES = 4096;
    /** The prefix of all rules beyond these. */
    private static final String OTHERS = ":";

    private final Ticker ticker;
    private final HotKeys hot;
    private final HotKeys denied;
    private final LongKeys longKeys = new LongKeys();
    private volatile Numbers numbers = new Numbers(Map.of(), List.of());
    private volatile boolean watched;
    private volatile long watchedAt;
    private volatile boolean watchedHere;
    private volatile long watchedHereAt;

    /** Rules by number: a number is never given to another rule. */
    private record Numbers(Map<String, String> prefixes, List<String> names) {}

    /**
     * A key and how often it came, or was denied, within the window.
     *
     * @param isShortened whether the key is too long to be shown whole: then it is its beginning and a hash, by which
     *     {@link #whole} may find the whole key
     */
    public record Key(String rule, String key, long atLeast, long atMost, boolean isShortened) {
        Key plus(Key other) {
            return new Key(rule, key, atLeast + other.atLeast, atMost + other.atMost, isShortened);
        }
    }

    public KeyWatch(Ticker ticker) {
        this.ticker = ticker;
        this.hot = HotKeys.over(HOT, HOT_WINDOW, ticker);
        this.denied = HotKeys.over(1, DENIED_WINDOW, ticker);
    }

    /** Somebody looks at this server, for the next seconds. */
    void watch() {
        watchedHereAt = ticker.nanos();
        watchedHere = true;
        watchFor();
    }

    /** Somebody looks at another server. */
    void watchFor() {
        watchedAt = ticker.nanos();
        watched = true;
    }

    boolean isWatchedHere() {
        return watchedHere && ticker.nanos() - watchedHereAt < WATCHED.toNanos();
    }

    /** Whether somebody looks; forgets those who no longer do. */
    boolean isWatched() {
        if (watched && ticker.nanos() - watchedAt > WATCHED.toNanos()) {
            watched = false;
        }
        return watched;
    }

    /** A rule decided about a key. */
    public void decided(String rule, String key) {
        if (watched) {
            hot.record(prefix(rule).concat(longKeys.kept(key)));
        }
    }

    /** A rule denied a request of a key. */
    public void denied(String rule, String key) {
        denied.record(prefix(rule).concat(longKeys.kept(key)));
    }

    private String prefix(String rule) {
        Numbers now = numbers;
        String prefix = now.prefixes().get(rule);
        if (prefix != null) {
            return prefix;
        }
        return now.names().size() < MAX_RULES ? added(rule) : OTHERS;
    }

    private synchronized String added(String rule) {
        Numbers now = numbers;
        String known = now.prefixes().get(rule);
        if (known != null) {
            return known;
        }
        if (now.names().size() >= MAX_RULES) {
            return OTHERS;
        }
        String prefix = Integer.toString(now.names().size(), Character.MAX_RADIX) + ":";
        Map<String, String> prefixes = new HashMap<>(now.prefixes());
        prefixes.put(rule, prefix);
        List<String> names = new ArrayList<>(now.names());
        names.add(rule);
        numbers = new Numbers(prefixes, List.copyOf(names));
        return prefix;
    }

    /** The hot keys of this server, at most {@code max}. */
    List<Key> hot(int max) {
        return isWatched() ? keys(hot::hot, max) : List.of();
    }

    /** The keys that this server denied most, at most {@code max}. */
    List<Key> denied(int max) {
        return keys(() -> denied.top(max), max);
    }

    /** The whole key that is listed as {@code shortened}, unless it has not come to this server of late. */
    public Optional<String> whole(String shortened) {
        return longKeys.whole(shortened);
    }

    private List<Key> keys(Supplier<List<HotKey>> keys, int max) {
        List<HotKey> found = keys.get();
        List<String> names = numbers.names();
        List<Key> all = new ArrayList<>();
        for (HotKey each : found) {
            int colon = each.key().indexOf(':');
            if (all.size() < max && each.atMost() > 0 && colon >= 0) {
                String rule = colon == 0
                        ? RuleRows.OTHER
                        : names.get(Integer.parseInt(each.key().substring(0, colon), Character.MAX_RADIX));
                all.add(key(rule, each.key().substring(colon + 1), each));
            }
        }
        return all;
    }

    private Key key(String rule, String kept, HotKey counts) {
        Optional<String> whole = LongKeys.isShortened(kept)
                ? longKeys.whole(kept).filter(key -> key.length() <= MAX_WHOLE)
                : Optional.of(kept);
        return new Key(rule, whole.orElse(kept), counts.atLeast(), counts.atMost(), whole.isEmpty());
    }
}
