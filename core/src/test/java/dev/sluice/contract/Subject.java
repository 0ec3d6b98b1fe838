package dev.sluice.contract;

import dev.sluice.Limit;
import dev.sluice.Limiter;
import dev.sluice.Ticker;

/** What the contract is held against: a way of making limiters. */
@FunctionalInterface
public interface Subject {
    /** A limiter on which nothing has been used yet, however many were made before. */
    Limiter create(Ticker ticker, Limit... limits);
}
