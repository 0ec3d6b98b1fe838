package dev.sluice.bench.server;

/**
 * Rule files to measure with. Each rule matches a path and counts by address; a request matches one rule.
 *
 * <p>No request of a run may be denied, and no key may be full again before the run is over, for then there would be no
 * state to read.
 */
final class RuleText {
    static final String RULE = "rule-5";
    static final String PATH = "/api/5/orders";
    static final String IP = "203.0.113.9";
    static final String POLICY = "RateLimit-Policy: \"" + RULE + "\"";

    private RuleText() {}

    static String of(int rules) {
        StringBuilder text = new StringBuilder("store: memory\nrules:\n");
        for (int i = 1; i <= rules; i++) {
            text.append("""
                      - name: rule-%d
                        when: { path: "/api/%d/**" }
                        key: [ip]
                        limits: [100000000 per 10d fixed-window]
                        on-store-failure: allow
                    """.formatted(i, i).indent(0));
        }
        return text.toString();
    }

    /** One of many addresses. */
    static String address(int number) {
        return "10." + (number >> 16) + "." + (number >> 8 & 255) + "." + (number & 255);
    }
}
