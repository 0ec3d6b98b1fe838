package dev.sluice.client;

/** What decides a check when the server gives no answer. */
public enum FailurePolicy {
    /** The request goes ahead. */
    ALLOW,
    /** The request is denied, with a {@link CheckResult#retryAfter} of one second. */
    DENY,
    /** The call throws {@link SluiceUnavailableException}; a future fails with it. */
    THROW
}
