package dev.sluice.server.envoy;

import dev.sluice.Limit;
import dev.sluice.rules.Request;
import dev.sluice.server.envoy.file.EnvoyUnit;
import dev.sluice.server.envoy.file.MatchedLimit;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Reads the descriptors of a request. */
final class Descriptors {
    static final int MAX_DESCRIPTORS = 256;
    static final int MAX_ENTRIES = 64;
    private static final String DOMAIN = "domain";
    private static final String IP = "ip";
    private static final String REMOTE_ADDRESS = "remote_address";

    private Descriptors() {}

    /** A request that cannot be decided; the message says why. */
    static final class InvalidRequest extends RuntimeException {
        private static final long serialVersionUID = 1;

        InvalidRequest(String message) {
            super(message, null, false, false);
        }
    }

    /** Throws {@link InvalidRequest} if a request has a mistake in it. */
    static void check(RateLimitRequest request) {
        if (request.getDomain().isEmpty()) {
            throw new InvalidRequest("domain must not be empty");
        }
        if (request.getDescriptorsCount() == 0) {
            throw new InvalidRequest("descriptors must not be empty");
        }
        if (request.getDescriptorsCount() > MAX_DESCRIPTORS) {
            throw new InvalidRequest(
                    "descriptors must be at most " + MAX_DESCRIPTORS + ", were " + request.getDescriptorsCount());
        }
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            check(request.getDescriptors(i), "descriptors[" + i + "]");
        }
    }

    private static void check(RateLimitDescriptor descriptor, String where) {
        if (descriptor.getEntriesCount() > MAX_ENTRIES) {
            throw new InvalidRequest(
                    where + ".entries must be at most " + MAX_ENTRIES + ", were " + descriptor.getEntriesCount());
        }
        for (int i = 0; i < descriptor.getEntriesCount(); i++) {
            if (descriptor.getEntries(i).getKey().isEmpty()) {
                throw new InvalidRequest(where + ".entries[" + i + "].key must not be empty");
            }
        }
        if (descriptor.hasLimit() && EnvoyUnit.of(descriptor.getLimit().getUnit()) == null) {
            throw new InvalidRequest(where + ".limit.unit must be one of SECOND, MINUTE, HOUR, DAY, MONTH, YEAR, was "
                    + descriptor.getLimit().getUnit());
        }
    }

    /** How many hits a descriptor adds: its own number, where 0 only looks; else that of the request, where 0 is 1. */
    static long hits(RateLimitRequest request, RateLimitDescriptor descriptor) {
        if (descriptor.hasHitsAddend()) {
            long hits = descriptor.getHitsAddend().getValue();
            return hits < 0 ? Limit.MAX_PERMITS : Math.min(hits, Limit.MAX_PERMITS); // unsigned
        }
        return Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
    }

    /** A domain and all entries of a descriptor as one text, different for any two that differ. */
    static String key(String domain, RateLimitDescriptor descriptor) {
        StringBuilder key = new StringBuilder(MatchedLimit.escape(domain));
        for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
            key.append('|').append(MatchedLimit.escape(entry.getKey()));
            key.append('|').append(MatchedLimit.escape(entry.getValue()));
        }
        return key.toString();
    }

    /**
     * The descriptor at {@code index} as a request to the rules. Its attributes are the domain, each entry, and the
     * address of Envoy's action {@code remote_address} as {@code ip} too, in place of an entry of that name. The second of two entries with the key
     * {@code a} is {@code a.2}.
     */
    static Request request(RateLimitRequest whole, int index) {
        RateLimitDescriptor descriptor = whole.getDescriptors(index);
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put(DOMAIN, whole.getDomain());
        for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
            String name = entry.getKey().toLowerCase(Locale.ROOT);
            String free = name;
            for (int i = 2; attributes.containsKey(free); i++) {
                free = name + "." + i;
            }
            attributes.put(free, entry.getValue());
        }
        String address = attributes.get(REMOTE_ADDRESS);
        if (address != null) {
            attributes.put(IP, address);
        }
        try {
            return Request.of(attributes, Math.max(1, hits(whole, descriptor)));
        } catch (IllegalArgumentException e) {
            throw new InvalidRequest("descriptors[" + index + "]: " + e.getMessage());
        }
    }
}
