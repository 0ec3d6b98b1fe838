package dev.sluice.bench.redis;

import dev.sluice.bench.core.Keys;
import java.util.function.Supplier;

/** Keys in an order that no cache can guess, over and over. For one thread. */
final class KeyRing implements Supplier<String> {
    private final String[] keys;
    private final int[] order;
    private int position;

    KeyRing(String[] keys) {
        this.keys = keys;
        this.order = Keys.shuffledOrder(keys.length);
    }

    @Override
    public String get() {
        position = position + 1 < order.length ? position + 1 : 0;
        return keys[order[position]];
    }
}
