package dev.sluice;

/** Where limiters keep what has been used, and whom they share it with. */
public interface Store extends AutoCloseable {
    /** A limiter; of the same name, as far as the store reaches, they share their counters. */
    Limiter limiter(String name, Limit... limits);

    @Override
    void close();
}
