package dev.sluice.redis.client;

import java.util.List;

/** What kind of server is at the other end, as it says of itself in its reply to HELLO. Every user may ask that. */
enum ServerMode {
    ONE_MASTER,
    /** A node of a cluster: keys are divided into slots, and a script may use those of one slot only. */
    SLOTS,
    SENTINEL,
    /** It does not say, as a server older than 6.2 or a proxy: its error replies tell. */
    UNKNOWN;

    /** Reads the names and values of a reply to HELLO, one after another. */
    static ServerMode of(List<String> hello) {
        int at = hello.indexOf("mode");
        return switch (at < 0 || at + 1 == hello.size() ? "" : hello.get(at + 1)) {
            case "standalone" -> ONE_MASTER;
            case "cluster" -> SLOTS;
            case "sentinel" -> SENTINEL;
            default -> UNKNOWN;
        };
    }
}
