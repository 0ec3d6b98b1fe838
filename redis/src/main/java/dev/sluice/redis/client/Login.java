package dev.sluice.redis.client;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whom a connection logs in as.
 *
 * @param user the user, or null for the default one
 * @param password asked for by every new connection, so that it may change
 */
public record Login(@Nullable String user, Supplier<String> password) {
    /** A supplier of passwords that fails says so without one. */
    String currentPassword() {
        String current = password.get();
        if (current == null || current.isEmpty()) {
            throw new IllegalStateException(
                    "the supplier of the password" + (user == null ? "" : " of " + user) + " returned none");
        }
        return current;
    }
}
