package dev.sluice.server.history;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The last slots, by the number of their second or minute since 1970. Not safe for several threads. */
final class Ring {
    private final Slot[] slots;
    private final long[] times;

    Ring(int size) {
        this.slots = new Slot[size];
        this.times = new long[size];
        Arrays.fill(slots, Slot.EMPTY);
        Arrays.fill(times, Long.MIN_VALUE);
    }

    /** Adds to the slot of a time. A slot that is later than {@code now} is left from a clock that was put back. */
    void add(long time, Slot slot, long now) {
        if (time > now || time <= now - slots.length) {
            return;
        }
        int at = (int) Math.floorMod(time, (long) slots.length);
        boolean same = times[at] == time;
        slots[at] = same ? slots[at].plus(slot) : slot;
        times[at] = time;
    }

    /** The slot of a time; null if nothing was added at that time. */
    @Nullable
    Slot at(long time) {
        int at = (int) Math.floorMod(time, (long) slots.length);
        return times[at] == time ? slots[at] : null;
    }

    void forEach(Consumer<Slot> consumer) {
        for (Slot slot : slots) {
            consumer.accept(slot);
        }
    }

    /** The bytes of all slots, without the objects they are in. */
    long bytes() {
        long bytes = 0;
        for (Slot slot : slots) {
            bytes += slot.size();
        }
        return bytes;
    }
}
