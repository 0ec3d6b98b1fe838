package dev.sluice.server.envoy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;

/** Texts joined so that no two lists of texts are the same. */
final class Keys {
    private Keys() {}

    static String escape(String text) {
        return text.indexOf('|') < 0 && text.indexOf('\\') < 0
                ? text
                : text.replace("\\", "\\\\").replace("|", "\\|");
    }

    /** A domain and all the entries of a descriptor. */
    static String of(String domain, RateLimitDescriptor descriptor) {
        StringBuilder key = new StringBuilder(escape(domain));
        for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
            key.append('|').append(escape(entry.getKey()));
            key.append('|').append(escape(entry.getValue()));
        }
        return key.toString();
    }
}
