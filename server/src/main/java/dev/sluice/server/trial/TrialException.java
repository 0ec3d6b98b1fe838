package dev.sluice.server.trial;

/** Rules could not be tried on the recording, as when the server drops what would be read next. The message says why. */
public final class TrialException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TrialException(RuntimeException cause) {
        super(cause.getMessage(), cause);
    }
}
