package dev.sluice.server.envoy;

import dev.sluice.rules.Request;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A descriptor as a request that rules know. */
final class Descriptors {
    private static final String DOMAIN = "domain";
    private static final String IP = "ip";
    private static final String REMOTE_ADDRESS = "remote_address";

    private Descriptors() {}

    /**
     * The request that the descriptor at {@code index} is: with the domain, each entry, and the address of Envoy's action
     * {@code remote_address} as {@code ip} too. The second of two entries with the key {@code a} is {@code a.2}.
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
            attributes.putIfAbsent(IP, address);
        }
        try {
            return Request.of(attributes, Math.max(1, Hits.of(whole, descriptor)));
        } catch (IllegalArgumentException e) {
            throw new InvalidRequest("descriptors[" + index + "]: " + e.getMessage());
        }
    }
}
