package dev.sluice.server.envoy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;

/** A request that cannot be answered; the message says what is wrong with it. */
final class InvalidRequest extends RuntimeException {
    private static final long serialVersionUID = 1;

    static final int MOST_DESCRIPTORS = 256;
    static final int MOST_ENTRIES = 64;

    InvalidRequest(String message) {
        super(message, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }

    static void check(RateLimitRequest request) {
        if (request.getDomain().isEmpty()) {
            throw new InvalidRequest("domain must not be empty");
        }
        if (request.getDescriptorsCount() == 0) {
            throw new InvalidRequest("descriptors must not be empty");
        }
        if (request.getDescriptorsCount() > MOST_DESCRIPTORS) {
            throw new InvalidRequest(
                    "descriptors must be at most " + MOST_DESCRIPTORS + ", were " + request.getDescriptorsCount());
        }
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            check(request.getDescriptors(i), "descriptors[" + i + "]");
        }
    }

    private static void check(RateLimitDescriptor descriptor, String where) {
        if (descriptor.getEntriesCount() > MOST_ENTRIES) {
            throw new InvalidRequest(
                    where + ".entries must be at most " + MOST_ENTRIES + ", were " + descriptor.getEntriesCount());
        }
        for (int i = 0; i < descriptor.getEntriesCount(); i++) {
            if (descriptor.getEntries(i).getKey().isEmpty()) {
                throw new InvalidRequest(where + ".entries[" + i + "].key must not be empty");
            }
        }
        if (descriptor.hasLimit() && Unit.of(descriptor.getLimit().getUnit()) == null) {
            throw new InvalidRequest(where + ".limit.unit must be one of SECOND, MINUTE, HOUR, DAY, MONTH, YEAR, was "
                    + descriptor.getLimit().getUnit());
        }
    }
}
