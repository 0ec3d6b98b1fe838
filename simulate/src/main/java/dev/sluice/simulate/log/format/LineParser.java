package dev.sluice.simulate.log.format;

import org.jspecify.annotations.Nullable;

/** Reads the fields of one line into a builder. It is for one thread. */
@FunctionalInterface
interface LineParser {
    /** Reads a line. Returns what is wrong with it; null if nothing is. */
    @Nullable
    String parse(byte[] line, int from, int to);
}
