package dev.sluice.server.envoy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.List;

/** A descriptor of a request under a limit of a file. */
record Match(String domain, Quota quota, List<Branch> path, RateLimitDescriptor descriptor) {

    /** Which of the limit's counters it is: the values that the file leaves open. */
    String key() {
        String key = null;
        for (int i = 0; i < path.size(); i++) {
            if (!path.get(i).fixed()) {
                String value = descriptor.getEntries(i).getValue();
                key = key == null ? Keys.escape(value) : key + "|" + Keys.escape(value);
            }
        }
        return key == null ? "" : key;
    }

    /** What its numbers are reported under, as envoyproxy/ratelimit names it. */
    String metric() {
        StringBuilder metric = new StringBuilder(domain);
        for (int i = 0; i < path.size(); i++) {
            RateLimitDescriptor.Entry entry = descriptor.getEntries(i);
            Branch branch = path.get(i);
            metric.append('.');
            if (quota.detailedMetric() && !branch.sharedThreshold()) {
                metric.append(entry.getKey()).append('_').append(entry.getValue());
            } else {
                metric.append(branch.metric(entry.getValue()));
            }
        }
        return metric.toString();
    }
}
