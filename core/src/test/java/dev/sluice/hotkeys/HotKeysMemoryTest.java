package dev.sluice.hotkeys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.FakeClock;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory is bounded and time stays flat, whatever the keys. */
class HotKeysMemoryTest {
    private final FakeClock clock = new FakeClock(0);

    @ParameterizedTest
    @ValueSource(ints = {32 * 1024, 256 * 1024, 4 << 20})
    void hostileKeysStayWithinTheBound(int maxBytes) throws IllegalAccessException {
        HotKeys hotKeys = HotKeys.builder(10, Duration.ofSeconds(1))
                .ticker(clock)
                .maxBytes(maxBytes)
                .build();
        String tail = "\u4e00".repeat(8192);
        for (int i = 0; i < 30_000; i++) {
            clock.advance(i % 100);
            hotKeys.record("\u4e00".repeat(59) + (10_000 + i)); // not Latin-1, just short enough
            if (i % 10 == 0) {
                hotKeys.record(i + tail);
            }
        }
        assertThat(bytes(hotKeys))
                .as("with %d entries", hotKeys.summary().capacity())
                .isBetween(maxBytes * 2L / 3, (long) maxBytes);
    }

    @Test
    void longKeysAreToldApartAndShortened() {
        HotKeys hotKeys = HotKeys.over(10, Duration.ofSeconds(1), clock);
        String prefix = "k".repeat(8192);
        hotKeys.record(prefix + "a", 10);
        hotKeys.record(prefix + "b", 9);
        assertThat(hotKeys.isHot(prefix + "a")).isTrue();
        assertThat(hotKeys.isHot(prefix + "b")).isFalse();
        assertThat(hotKeys.count(prefix + "b").atMost()).isEqualTo(9);
        assertThat(hotKeys.top(1).get(0).key()).matches("k{31}~[0-9a-f]{32}");
        hotKeys.record("k".repeat(64));
        assertThat(hotKeys.top(3).get(2).key()).isEqualTo("k".repeat(64));
    }

    @Test
    void keysOfOneHashCodeMakeTheIndexUseAnotherHash() {
        HotKeys hotKeys = HotKeys.over(1000, Duration.ofSeconds(1), clock);
        for (int i = 0; i < 1 << 14; i++) {
            hotKeys.record(colliding(i));
            hotKeys.record(colliding(5), i % 16 == 0 ? 1 : 0);
        }
        assertThat(hotKeys.isHot(colliding(5))).isTrue();
        assertThat(hotKeys.count(colliding(5)).atLeast()).isEqualTo(1 + (1 << 10));
        assertThat(hotKeys.summary().isKeyed()).isTrue();
    }

    /** The hashes of events that are counted together are of before; from the change on they are of no use. */
    @Test
    void noKeyHasTwoEntriesWhenTheHashChangesAmongEventsThatAreCountedTogether() {
        HotKeys hotKeys = HotKeys.over(1000, Duration.ofSeconds(1), clock);
        for (int i = 0; i < 400; i++) {
            hotKeys.record(colliding(i));
            hotKeys.record(colliding(0));
        }
        assertThat(hotKeys.summary().isKeyed()).isTrue();
        assertThat(hotKeys.top(1000)).extracting(HotKey::key).hasSize(400).doesNotHaveDuplicates();
        assertThat(hotKeys.count(colliding(0)).atLeast()).isEqualTo(401);
    }

    @Test
    void ordinaryKeysDoNot() {
        HotKeys hotKeys = HotKeys.over(1000, Duration.ofSeconds(1), clock);
        for (int i = 0; i < 200_000; i++) {
            hotKeys.record("user:" + i);
        }
        assertThat(hotKeys.summary().isKeyed()).isFalse();
    }

    /** A probe grows with the load of the table, and so does the chance of a long one. */
    @Test
    void ordinaryKeysDoNotInATableThatIsHalfFull() {
        int entries = 512;
        String[] keys = new String[entries];
        KeyIndex index = new KeyIndex(keys, new BoundedKey());
        assertThat(KeyIndex.slots(entries)).isEqualTo(2 * entries);
        for (int i = 0; i < 2_000_000; i++) {
            int entry = i % entries;
            if (entry == 0) {
                index.retain(new boolean[entries]);
            }
            keys[entry] = "user:" + i;
            index.add(entry, index.hash(keys[entry]));
        }
        assertThat(index.isKeyed()).isFalse();
    }

    /** The bits of {@code number} written in Aa and BB, which have the same hash code. */
    private static String colliding(int number) {
        StringBuilder key = new StringBuilder();
        for (int bit = 0; bit < 14; bit++) {
            key.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return key.toString();
    }

    /** The heap of everything that hangs on an object of this package, as HotSpot lays it out. */
    private static long bytes(Object root) throws IllegalAccessException {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>();
        open.add(root);
        long bytes = 0;
        while (!open.isEmpty()) {
            Object next = open.remove();
            if (!seen.add(next)) {
                continue;
            }
            if (next instanceof String string) {
                boolean latin1 = string.chars().allMatch(c -> c < 256);
                bytes += 24 + aligned(16 + (latin1 ? 1L : 2L) * string.length());
            } else if (next.getClass().isArray()) {
                bytes += ofArray(next, open);
            } else if (next.getClass().getName().startsWith("dev.sluice.hotkeys.")) {
                bytes += ofObject(next, open);
            } else {
                bytes += 64; // a lock
            }
        }
        return bytes;
    }

    private static long ofArray(Object array, Deque<Object> open) {
        int length = Array.getLength(array);
        Class<?> type = array.getClass().getComponentType();
        if (!type.isPrimitive()) {
            for (int i = 0; i < length; i++) {
                Object element = Array.get(array, i);
                if (element != null) {
                    open.add(element);
                }
            }
        }
        return aligned(16 + length * size(type));
    }

    private static long ofObject(Object object, Deque<Object> open) throws IllegalAccessException {
        long bytes = 12;
        for (Field field : object.getClass().getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
                continue;
            }
            bytes += size(field.getType());
            field.setAccessible(true);
            Object value = field.getType().isPrimitive() ? null : field.get(object);
            if (value != null && !field.getName().equals("ticker")) {
                open.add(value);
            }
        }
        return aligned(bytes);
    }

    private static long size(Class<?> type) {
        if (type == long.class || type == double.class) {
            return 8;
        }
        return type == boolean.class || type == byte.class ? 1 : 4;
    }

    private static long aligned(long bytes) {
        return (bytes + 7) / 8 * 8;
    }
}
