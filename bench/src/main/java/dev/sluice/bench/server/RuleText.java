package dev.sluice.bench.server;

/**
 * Rule files to measure with: so many rules on paths, of which a request meets one, with a counter for each address.
 *
 * <p>No request of a run may be denied, and no key may be as good as new before the run is over, for then there would be
 * nothing to read.
 */
final class RuleText {
    static final String RULE = "rule-5";
    static final String PATH = "/api/5/orders";
    static final String IP = "203.0.113.9";

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
