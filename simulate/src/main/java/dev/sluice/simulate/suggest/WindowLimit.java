package dev.sluice.simulate.suggest;

import java.time.Duration;

/**
 * The smallest limit for a window.
 *
 * @param window the window
 * @param permits the smallest number of permits in any such window that leaves the share untouched
 * @param low the smallest such number of a part of the log
 * @param high the largest such number of a part of the log
 * @param parts of how many parts: halves, and days of the week; 0 if the log is too short to have parts
 * @param burst the smallest token bucket of this rate that touches no more clients
 * @param effect what a sliding log of this limit would have cut
 */
public record WindowLimit(Duration window, long permits, long low, long high, int parts, long burst, Effect effect) {}
