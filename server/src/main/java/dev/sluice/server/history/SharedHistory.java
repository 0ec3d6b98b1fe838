package dev.sluice.server.history;

import java.util.List;
import java.util.Map;

/** What servers that count in the same store tell each other about the past. Used by one thread. */
interface SharedHistory extends AutoCloseable {
    /** What is shared cannot be reached now. */
    final class UnreachableException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnreachableException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Good and bad requests of all servers.
     *
     * @param since when the first of them began to count, in seconds since 1970
     * @param byHour by the hour since 1970
     */
    record ByHour(long since, Map<Long, long[]> byHour) {}

    /** The clock that the servers share, in milliseconds since 1970. */
    long clock();

    /**
     * Adds a slot of this server, once: it may be sent again under its number.
     *
     * @return the clock that the servers share, in milliseconds since 1970
     */
    long publish(SharedSlot slot, long number);

    /** The slots that other servers have added since this was last asked for; all that are kept at first. */
    List<SharedSlot> news();

    /** Says how this server is. */
    void announce(FleetServer self);

    /** The other servers that were heard of within the last 15 minutes. */
    List<FleetServer> others(long nowSeconds);

    ByHour hours();

    @Override
    void close();
}
