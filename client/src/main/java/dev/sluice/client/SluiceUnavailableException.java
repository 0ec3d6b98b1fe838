package dev.sluice.client;

/** The server gave no answer, and {@link FailurePolicy#THROW} says that the caller wants to know. */
public final class SluiceUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SluiceUnavailableException(String reason) {
        super(reason);
    }
}
