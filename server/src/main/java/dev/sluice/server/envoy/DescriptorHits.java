package dev.sluice.server.envoy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.server.envoy.file.LimitPath;

/**
 * The hits that a descriptor added to a counter, and what became of them.
 *
 * <p>A descriptor adds several hits at once, and the limit may lie in the middle of them. So each number below is a part
 * of the hits, split where envoyproxy/ratelimit splits them:
 *
 * <pre>
 *   0 ─────────────── 80 % ────── limit ──────────►
 *       within         within       over
 *                      and near
 * </pre>
 *
 * @param path where the limit stands
 * @param detailed its path with the values of the request, where the file asks for that; clients choose those
 * @param key the key of the counter: the values that the file leaves open
 * @param hits how many hits were added, from 1
 * @param before how many hits the window had before
 * @param limit how many hits are within the limit
 * @param mode what happens over the limit
 * @param source which part counted them
 * @param retryAfterMicros when the window ends
 */
public record DescriptorHits(
        LimitPath path,
        String detailed,
        String key,
        long hits,
        long before,
        long limit,
        Mode mode,
        Decision.Source source,
        long retryAfterMicros) {
    private static final long NEAR_TENTHS = 8;

    /** What happens to a request that is over the limit. */
    public enum Mode {
        ENFORCED,
        /** Nothing: {@code shadow_mode}. */
        SHADOW
    }

    /** Whether there is no limit, and so nothing was counted. */
    public boolean isUnlimited() {
        return limit == Limit.MAX_PERMITS;
    }

    /** Whether the descriptor is over its limit, also in shadow mode. */
    public boolean isOver() {
        return hits > limit - before;
    }

    /** The hits past the limit. */
    public long overLimit() {
        return isOver() ? Math.min(hits, hits - (limit - before)) : 0;
    }

    /** The hits within the limit, and past four fifths of it. */
    public long nearLimit() {
        long near = limit / 10 * NEAR_TENTHS + limit % 10 * NEAR_TENTHS / 10;
        long after = isOver() ? limit : before + hits;
        return Math.max(0, after - Math.max(near, before));
    }

    /** All hits if the descriptor is within its limit, and else none. */
    public long withinLimit() {
        return isOver() ? 0 : hits;
    }

    /** All hits if this process knew without asking Redis that the descriptor is over its limit, and else none. */
    public long overLimitWithLocalCache() {
        return isOver() && source == Decision.Source.DENIAL_CACHE ? hits : 0;
    }

    /** All hits if the descriptor is over a limit in shadow mode, and else none. */
    public long shadowMode() {
        return isOver() && mode == Mode.SHADOW ? hits : 0;
    }
}
