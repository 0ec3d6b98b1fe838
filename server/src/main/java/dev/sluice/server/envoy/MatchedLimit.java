package dev.sluice.server.envoy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.List;

/** A descriptor of a request, the limit of a file that applies to it, and the nodes that lead to that limit. */
record MatchedLimit(String domain, DescriptorLimit limit, List<DescriptorNode> nodes, RateLimitDescriptor descriptor) {

    /** The key of the counter: the values that the file leaves open. */
    String key() {
        String key = null;
        for (int i = 0; i < nodes.size(); i++) {
            if (!nodes.get(i).fixed()) {
                String value = descriptor.getEntries(i).getValue();
                key = key == null ? Descriptors.escape(value) : key + "|" + Descriptors.escape(value);
            }
        }
        return key == null ? "" : key;
    }

    /** The path to the limit with the values of the request, where the file asks for them. */
    String detailedPath() {
        if (!limit.detailedMetric() && !hasValueToMetric()) {
            return limit.path().descriptor();
        }
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < nodes.size(); i++) {
            RateLimitDescriptor.Entry entry = descriptor.getEntries(i);
            DescriptorNode node = nodes.get(i);
            if (i > 0) {
                joined.append('.');
            }
            if (limit.detailedMetric() && !node.sharedThreshold()) {
                joined.append(entry.getKey()).append('_').append(entry.getValue());
            } else {
                joined.append(node.metric(entry.getValue()));
            }
        }
        return joined.toString();
    }

    private boolean hasValueToMetric() {
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).valueToMetric()) {
                return true;
            }
        }
        return false;
    }
}
