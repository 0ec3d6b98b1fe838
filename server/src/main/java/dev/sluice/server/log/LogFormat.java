package dev.sluice.server.log;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The form of a line of the log. */
public enum LogFormat {
    /** Pairs that programs and people can read. */
    TEXT,
    /** One object of JSON. */
    JSON;

    /** The one with this name, in small letters; null if there is none. */
    public static @Nullable LogFormat named(String name) {
        for (LogFormat format : values()) {
            if (format.name().toLowerCase(Locale.ROOT).equals(name)) {
                return format;
            }
        }
        return null;
    }
}
