package dev.sluice.server.metrics;

/** Hears of denials, while anybody listens. */
public interface DenialListener {
    /** Whether anybody listens. */
    boolean isListening();

    /**
     * A request was denied.
     *
     * @param outcome the outcome, in lower case
     * @param retryAfterMillis when it would be allowed; -1 for never
     */
    void denied(String rule, String key, String outcome, long retryAfterMillis);
}
