package dev.sluice.server.envoy;

/** Hears of the descriptors that are decided by limits for Envoy, and not by rules. Keep it quick. */
public interface RateLimitListener {
    /** Hears nothing. */
    RateLimitListener NONE = new RateLimitListener() {
        @Override
        public void counted(DescriptorHits hits) {}

        @Override
        public void unmatched() {}
    };

    /** A descriptor was counted. Descriptors that only look, with 0 hits, are not. */
    void counted(DescriptorHits hits);

    /** No limit applies to a descriptor. */
    void unmatched();
}
