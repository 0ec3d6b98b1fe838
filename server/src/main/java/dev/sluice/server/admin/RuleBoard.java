package dev.sluice.server.admin;

import java.util.List;
import java.util.Map;

/**
 * Where the servers of a fleet put up the rules for each other to see, and what holds for single keys for a while. Used by
 * one thread.
 */
interface RuleBoard extends AutoCloseable {
    /** How many holds there may be; more are not put up. */
    int MOST_HOLDS = 10_000;

    /** It cannot be asked at the moment. */
    final class Unreachable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unreachable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * What there is, in short.
     *
     * @param version the {@linkplain RuleVersion#id() id} of the newest version; empty if there is none
     * @param holds changes whenever a hold does
     */
    record Glance(String version, String holds) {}

    Glance glance();

    /** The versions that are kept, the newest first. */
    List<RuleVersion> versions();

    /** Puts up a version, if the newest is still the one of this id; empty if there was none. */
    boolean post(String after, RuleVersion version);

    /** What holds for single keys: by {@link KeyHold#name}. */
    Map<String, KeyHold> holds();

    /** Puts up what holds for a key, in place of what held before. */
    void hold(KeyHold hold);

    /** Takes down what holds for a key. */
    void drop(String name);

    @Override
    void close();
}
