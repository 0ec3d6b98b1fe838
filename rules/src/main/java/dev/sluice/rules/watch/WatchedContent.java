package dev.sluice.rules.watch;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells when content that is read again and again has changed. New content counts only when the next reading gives the
 * same, since somebody may be in the middle of writing.
 */
public final class WatchedContent<T> {
    private T current;
    private @Nullable T unsettled;

    /** With the content that is known already. */
    public WatchedContent(T current) {
        this.current = current;
    }

    /** The new content, once, if what was read now is new and the same as at the reading before. */
    public Optional<T> read(T now) {
        boolean settled = now.equals(unsettled);
        unsettled = settled || now.equals(current) ? null : now;
        if (!settled || now.equals(current)) {
            return Optional.empty();
        }
        current = now;
        return Optional.of(now);
    }

    /** The content could not be read: what was read before has not settled. */
    void unreadable() {
        unsettled = null;
    }

    boolean isSettled() {
        return unsettled == null;
    }
}
