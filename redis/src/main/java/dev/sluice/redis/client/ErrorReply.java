package dev.sluice.redis.client;

/** An error that Redis replied, in its own words; {@link Failure} says what follows from it. */
final class ErrorReply extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What a reply that is no text of bytes is reported as. Redis has no error of that name. */
    private static final String NOT_BYTES = "NONSENSE ";

    ErrorReply(String message) {
        super(message, null, false, false);
    }

    /** The words for a reply that is not what a script returns. */
    static String notBytes(String instead) {
        return NOT_BYTES + "the reply is " + instead + ", and not the bytes that the script returns";
    }

    @Override
    public String toString() {
        return getMessage();
    }

    @Override
    public String getMessage() {
        String message = super.getMessage();
        return message == null ? "" : message;
    }
}
