package dev.sluice.algorithm;

import java.util.ArrayList;
import java.util.List;

/** Memory of so many bytes that notes what it was asked for, granted or not. */
final class CountedMemory implements Memory {
    final List<Long> asked = new ArrayList<>();
    private long available;

    CountedMemory(long available) {
        this.available = available;
    }

    @Override
    public boolean tryReserve(long bytes) {
        asked.add(bytes);
        if (bytes > available) {
            return false;
        }
        available -= bytes;
        return true;
    }

    @Override
    public void release(long bytes) {
        available += bytes;
    }

    @Override
    public long available() {
        return available;
    }
}
