package dev.sluice.simulate.log;

/** A log cannot be read, or its format cannot be understood. The message says where and why. */
public final class LogException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public LogException(String message) {
        super(message);
    }

    public LogException(String message, Throwable cause) {
        super(message, cause);
    }
}
