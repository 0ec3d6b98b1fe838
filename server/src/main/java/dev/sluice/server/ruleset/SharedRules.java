package dev.sluice.server.ruleset;

import java.util.List;
import java.util.Map;

/**
 * The versions of the rules and the temporary overrides that all servers on one store share. A server reads here what the
 * others have changed, and writes what changed on it. Used by one thread.
 */
interface SharedRules extends AutoCloseable {
    /** The largest number of temporary overrides that servers share. */
    int MAX_OVERRIDES = 10_000;

    /** The shared rules cannot be read or written at the moment. */
    final class UnreachableException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnreachableException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Shows cheaply whether anything has changed.
     *
     * @param version the {@linkplain RuleVersion#id() id} of the newest version; empty if there is none
     * @param overrides differs after every change of an override
     */
    record State(String version, String overrides) {}

    State state();

    /** The versions that are kept, the newest first. */
    List<RuleVersion> versions();

    /** Adds a version if the newest one still has the id {@code after}, which is empty for none; returns whether it did. */
    boolean publish(String after, RuleVersion version);

    /** The temporary overrides, by {@link TemporaryOverride#name}. */
    Map<String, TemporaryOverride> overrides();

    /** Adds an override, or replaces the one that its key had. */
    void put(TemporaryOverride override);

    /** Removes the override of this name. */
    void remove(String name);

    @Override
    void close();
}
