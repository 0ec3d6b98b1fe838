package dev.sluice.bench.redis;

/** Decisions that Sluice makes without asking Redis each time. */
enum Shortcut {
    DENIED("denied hot key"),
    LEASED("leases on one hot key"),
    DEAD("Redis dead, policy local"),
    FROZEN("Redis frozen, policy local");

    final String label;

    Shortcut(String label) {
        this.label = label;
    }
}
