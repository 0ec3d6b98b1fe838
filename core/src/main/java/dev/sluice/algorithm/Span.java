package dev.sluice.algorithm;

/**
 * Permits in use that were taken between two instants: {@code fromAgo} microseconds ago, and before {@code toAgo}
 * microseconds ago.
 */
public record Span(long fromAgo, long toAgo, long permits) {}
