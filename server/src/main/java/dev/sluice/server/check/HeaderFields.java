package dev.sluice.server.check;

/** Which header fields show a client its limits. */
public enum HeaderFields {
    /** {@code RateLimit-Policy} and {@code RateLimit}, as the draft of the IETF has them. */
    STANDARD,
    /** Those, and {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and {@code X-RateLimit-Reset}. */
    STANDARD_AND_LEGACY
}
