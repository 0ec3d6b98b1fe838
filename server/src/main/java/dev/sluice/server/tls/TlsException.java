package dev.sluice.server.tls;

/** Files that no TLS can be made of; the message says which, and why. */
public final class TlsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TlsException(String message) {
        super(message);
    }
}
