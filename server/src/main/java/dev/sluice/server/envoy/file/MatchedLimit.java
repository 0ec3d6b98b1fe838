package dev.sluice.server.envoy.file;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.List;

/** A descriptor of a request, the limit of a file that applies to it, and the nodes that lead to that limit. */
public final class MatchedLimit {
    private final DescriptorLimit limit;
    private final List<DescriptorNode> nodes;
    private final RateLimitDescriptor descriptor;

    MatchedLimit(DescriptorLimit limit, List<DescriptorNode> nodes, RateLimitDescriptor descriptor) {
        this.limit = limit;
        this.nodes = nodes;
        this.descriptor = descriptor;
    }

    /** The limit. */
    public DescriptorLimit limit() {
        return limit;
    }

    /** The key of the counter: the values that the file leaves open. */
    public String key() {
        String key = null;
        for (int i = 0; i < nodes.size(); i++) {
            if (!nodes.get(i).fixed()) {
                String value = descriptor.getEntries(i).getValue();
                key = key == null ? escape(value) : key + "|" + escape(value);
            }
        }
        return key == null ? "" : key;
    }

    /** A part of a key whose parts are joined by {@code |}. */
    public static String escape(String text) {
        return text.indexOf('|') < 0 && text.indexOf('\\') < 0
                ? text
                : text.replace("\\", "\\\\").replace("|", "\\|");
    }

    /** The path to the limit with the values of the request, where the file asks for them. */
    public String detailedPath() {
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
