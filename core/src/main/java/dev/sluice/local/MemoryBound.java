package dev.sluice.local;

import dev.sluice.StoreUsage;
import dev.sluice.algorithm.Memory;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bound on the bytes that several limiters take together.
 *
 * <p><b>How is it designed, and why?</b> Bytes are counted when a limiter, a key or a larger state is made, and when one
 * is dropped; a call on a known key does not come here. Each limiter has an {@link Account}, so that what it took comes
 * back when the limiter is garbage: nobody closes a limiter. The accounts also find a limiter that nobody calls any more
 * but that still has idle keys: who needs memory sweeps the others, a few slots at a time.
 */
final class MemoryBound {
    /** The part of the heap that is the bound unless another is set. */
    private static final int HEAP_SHARE = 4;

    /** How many limiters a call sweeps that needs memory. */
    private static final int LIMITERS_TO_SWEEP = 8;

    private static final MemoryBound SHARED = new MemoryBound(defaultBytes());

    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final LongAdder atBound = new LongAdder();
    private final Set<Account> accounts = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<LimiterCore> garbage = new ReferenceQueue<>();
    private final ReentrantLock sweeping = new ReentrantLock();
    private Iterator<Account> toSweep = Collections.emptyIterator();

    MemoryBound(long maxBytes) {
        this.maxBytes = checked(maxBytes);
    }

    static long checked(long maxBytes) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxBytes must be 1 or more, was " + maxBytes);
        }
        return maxBytes;
    }

    /** The bound of all limiters in this JVM that have no other. */
    static MemoryBound shared() {
        return SHARED;
    }

    /** A quarter of the largest heap that this JVM may use. */
    static long defaultBytes() {
        return Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    }

    /** The account of a limiter that is being made; it is {@linkplain Account#open opened} when that is done. */
    Account account(LimiterCore core) {
        return new Account(core);
    }

    StoreUsage usage() {
        collectGarbage();
        long keys = 0;
        for (Account account : accounts) {
            LimiterCore core = account.get();
            keys += core == null ? 0 : core.keyCount();
        }
        return new StoreUsage(keys, bytes.get(), maxBytes, atBound.sum());
    }

    private void collectGarbage() {
        for (Reference<?> gone = garbage.poll(); gone != null; gone = garbage.poll()) {
            ((Account) gone).close();
        }
    }

    /** Drops a few idle keys of the next limiter, if no other thread does. */
    private void sweepNext() {
        if (sweeping.tryLock()) {
            try {
                if (!toSweep.hasNext()) {
                    toSweep = accounts.iterator();
                }
                LimiterCore core = toSweep.hasNext() ? toSweep.next().get() : null;
                if (core != null) {
                    core.sweep();
                }
            } finally {
                sweeping.unlock();
            }
        }
    }

    /** What one limiter takes. */
    final class Account extends WeakReference<LimiterCore> implements Memory {
        private final AtomicLong taken = new AtomicLong();

        private Account(LimiterCore core) {
            super(core, garbage);
        }

        void open() {
            collectGarbage();
            accounts.add(this);
        }

        private void close() {
            accounts.remove(this);
            release(taken.get());
        }

        /** Reserves {@code bytes} even if they are past the bound. */
        void reserve(long bytes) {
            MemoryBound.this.bytes.addAndGet(bytes);
            taken.addAndGet(bytes);
        }

        @Override
        public boolean tryReserve(long bytes) {
            long before;
            do {
                before = MemoryBound.this.bytes.get();
                if (bytes > 0 && bytes > maxBytes - before) {
                    return false;
                }
            } while (!MemoryBound.this.bytes.compareAndSet(before, before + bytes));
            taken.addAndGet(bytes);
            return true;
        }

        @Override
        public void release(long bytes) {
            taken.addAndGet(-bytes);
            MemoryBound.this.bytes.addAndGet(-bytes);
        }

        @Override
        public long available() {
            return Math.max(0, maxBytes - MemoryBound.this.bytes.get());
        }

        /** Notes that a decision is made at the bound. */
        void countAtBound() {
            atBound.increment();
        }

        /** Looks for memory that is not needed any more, if {@code bytes} are not available. */
        void relieve(long bytes) {
            if (available() < bytes) {
                collectGarbage();
            }
            for (int i = 0; i < LIMITERS_TO_SWEEP && available() < bytes; i++) {
                sweepNext();
            }
        }

        /** Memory that answers as this one would if {@code bytes} had been taken, and takes nothing. */
        Memory preview(long bytes) {
            long available = Math.max(0, available() - bytes);
            return new Memory() {
                private long left = available;

                @Override
                public boolean tryReserve(long bytes) {
                    if (bytes > left) {
                        return false;
                    }
                    left -= bytes;
                    return true;
                }

                @Override
                public void release(long bytes) {
                    left += bytes;
                }

                @Override
                public long available() {
                    return left;
                }
            };
        }
    }
}
