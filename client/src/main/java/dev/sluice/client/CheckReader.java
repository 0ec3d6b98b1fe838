package dev.sluice.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the replies to checks.
 *
 * <p>Why every member is checked: whatever answers at the address may be something else, and half of an answer must not
 * become a decision.
 */
final class CheckReader {
    /** A reply that is no decision. The message says what it is instead. */
    static final class NoDecision extends Exception {
        private static final long serialVersionUID = 1;

        NoDecision(String message) {
            super(message, null, false, false);
        }
    }

    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int MAX_SHOWN = 300;
    private static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000;
    private static final Pattern TOKEN = Pattern.compile("[\\w.~-]+");

    private CheckReader() {}

    /** The answer to one check. */
    static CheckResult one(Reply reply) throws NoDecision {
        if (reply.status() != OK && reply.status() != TOO_MANY_REQUESTS) {
            throw refused(reply);
        }
        CheckResult result = decision(json(reply));
        if (result.allowed() != (reply.status() == OK)) {
            throw new NoDecision("the reply has status " + reply.status() + " and says allowed: " + result.allowed());
        }
        return result;
    }

    /** The answers to a list of checks. */
    static List<CheckResult> list(Reply reply, int size) throws NoDecision {
        if (reply.status() != OK) {
            throw refused(reply);
        }
        if (!(json(reply) instanceof List<?> decisions) || decisions.size() != size) {
            throw new NoDecision("the reply to " + size + " checks is not a list of " + size);
        }
        List<CheckResult> results = new ArrayList<>(size);
        for (Object decision : decisions) {
            results.add(decision(decision));
        }
        return results;
    }

    private static @Nullable Object json(Reply reply) throws NoDecision {
        try {
            return Json.read(reply.body());
        } catch (Json.Malformed e) {
            throw new NoDecision("the reply is not JSON: " + e.getMessage());
        }
    }

    /** What a reply with another status says. */
    static NoDecision refused(Reply reply) {
        String detail = "";
        try {
            if (Json.read(reply.body()) instanceof Map<?, ?> problem && problem.get("detail") instanceof String text) {
                detail = ": " + (text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…");
            }
        } catch (Json.Malformed e) {
            // the status says enough
        }
        return new NoDecision("the server answered " + reply.status() + detail);
    }

    private static CheckResult decision(@Nullable Object value) throws NoDecision {
        if (!(value instanceof Map<?, ?> members) || !(members.get("allowed") instanceof Boolean allowed)) {
            throw new NoDecision("the reply has no member 'allowed'");
        }
        Object rule = members.get("rule");
        Object hold = members.get("hold");
        if (rule != null && !(rule instanceof String)) {
            throw new NoDecision("the 'rule' of the reply is not a string");
        }
        if (hold != null
                && !(hold instanceof String token && TOKEN.matcher(token).matches())) {
            throw new NoDecision("the 'hold' of the reply is not a token");
        }
        return new CheckResult(
                allowed,
                (String) rule,
                number(members, "limit", CheckResult.UNLIMITED),
                number(members, "remaining", CheckResult.UNLIMITED),
                duration(members, "retryAfterMs"),
                duration(members, "resetAfterMs"),
                members.containsKey("delayMs") ? duration(members, "delayMs") : Duration.ZERO,
                Boolean.TRUE.equals(members.get("degraded")),
                (String) hold,
                CheckResult.Source.SERVER,
                null);
    }

    private static long number(Map<?, ?> members, String name, long ifNull) throws NoDecision {
        Object value = members.get(name);
        if (value == null && members.containsKey(name)) {
            return ifNull;
        }
        if (!(value instanceof Long number) || number < 0) {
            throw new NoDecision("the '" + name + "' of the reply is not a whole number");
        }
        return number;
    }

    private static Duration duration(Map<?, ?> members, String name) throws NoDecision {
        long millis = number(members, name, Long.MAX_VALUE);
        return millis >= MAX_MILLIS ? CheckResult.NEVER : Duration.ofMillis(millis);
    }
}
