package dev.sluice.server.http;

import java.util.Objects;

/** A request that cannot be answered, and what to say about it. Carries no stack trace: it is an answer. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    Refusal(int status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    /** A request that says something wrong. */
    static Refusal bad(String detail) {
        return new Refusal(400, detail);
    }

    int status() {
        return status;
    }

    String detail() {
        return Objects.requireNonNull(getMessage());
    }

    /** Text from outside, cut short so that a message stays a message. */
    static String shown(String text) {
        return text.length() <= 60 ? "'" + text + "'" : "'" + text.substring(0, 60) + "…'";
    }
}
