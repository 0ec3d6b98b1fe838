package dev.sluice;

import java.util.List;

/**
 * What a key has used of one limit.
 *
 * @param used the permits in use; a part of one counts as one
 * @param spans the same permits by the time at which they were taken, oldest first. A sliding window has one span for
 *     each slice with permits, a sliding log one for each short time with entries. Empty if nothing is in use, and for
 *     limits that do not remember when their permits were taken
 */
public record KeyUsage(long used, List<Span> spans) {
    /** The most spans of one limit. Where there would be more, neighbours are added up. */
    public static final int MAX_SPANS = 120;

    public KeyUsage {
        spans = List.copyOf(spans);
    }

    /**
     * Permits that were taken between two instants.
     *
     * @param fromMicrosAgo how long ago the first instant was
     * @param toMicrosAgo how long ago the second instant was, which is not part of the span any more; 0 if it is to come
     * @param permits how many of them are in use
     */
    public record Span(long fromMicrosAgo, long toMicrosAgo, long permits) {}
}
