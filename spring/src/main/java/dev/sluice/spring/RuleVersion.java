package dev.sluice.spring;

import dev.sluice.rules.RuleSet;
import java.time.Instant;
import java.util.Locale;

/**
 * One version of the rules from the configuration.
 *
 * @param number counts up from 1, the version that the application started with
 * @param when it came into force
 */
public record RuleVersion(long number, Origin origin, Instant when, RuleSet rules) {
    /** How a version was made. */
    public enum Origin {
        /** The file or the properties that the application started with. */
        START,
        /** The file changed, or the properties were refreshed. */
        RELOAD,
        /** The application called {@link RuleRegistry#replace}. */
        APPLICATION,
        /** An earlier version was put in force again. */
        ROLLBACK;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
