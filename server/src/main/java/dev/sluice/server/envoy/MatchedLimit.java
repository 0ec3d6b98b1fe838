package dev.sluice.server.envoy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.List;

/** A descriptor of a request, the limit of a file that applies to it, and the nodes that lead to that limit. */
record MatchedLimit(String domain, DescriptorLimit limit, List<DescriptorNode> path, RateLimitDescriptor descriptor) {

    /** The key of the counter: the values that the file leaves open. */
    String key() {
        String key = null;
        for (int i = 0; i < path.size(); i++) {
            if (!path.get(i).fixed()) {
                String value = descriptor.getEntries(i).getValue();
                key = key == null ? Descriptors.escape(value) : key + "|" + Descriptors.escape(value);
            }
        }
        return key == null ? "" : key;
    }

    /** The name of its metric, as envoyproxy/ratelimit has it. */
    String metric() {
        StringBuilder metric = new StringBuilder(domain);
        for (int i = 0; i < path.size(); i++) {
            RateLimitDescriptor.Entry entry = descriptor.getEntries(i);
            DescriptorNode node = path.get(i);
            metric.append('.');
            if (limit.detailedMetric() && !node.sharedThreshold()) {
                metric.append(entry.getKey()).append('_').append(entry.getValue());
            } else {
                metric.append(node.metric(entry.getValue()));
            }
        }
        return metric.toString();
    }
}
