package dev.sluice.server.envoy;

/**
 * The result for a descriptor that was counted in a window.
 *
 * @param uncount takes back the hits that were counted
 */
record CountedResult(DescriptorResult result, Runnable uncount) {
    /** A result for which nothing was counted. */
    static CountedResult uncounted(DescriptorResult result) {
        return new CountedResult(result, () -> {});
    }
}
