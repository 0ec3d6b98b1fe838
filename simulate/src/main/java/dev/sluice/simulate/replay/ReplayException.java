package dev.sluice.simulate.replay;

/** Rules cannot be replayed on a log. The message says which rule and why. */
public final class ReplayException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ReplayException(String message) {
        super(message);
    }
}
