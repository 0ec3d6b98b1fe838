package dev.sluice.redis.client;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why a call got no reply that it can use, and what follows. Whatever it is, the failure policy decides that call.
 *
 * <table>
 * <caption>One reaction for each failure</caption>
 * <tr><th>failure</th><th>recognised by</th><th>circuit breaker of that master</th><th>connection</th></tr>
 * <tr><td>{@link #NO_REPLY}</td><td>nothing came within the timeout</td><td>the third in a row opens it</td>
 *     <td>looks for the masters</td></tr>
 * <tr><td>{@link #UNREACHABLE}</td><td>the client failed: refused, closed, not a reply at all</td>
 *     <td>the third in a row opens it</td><td>looks for the masters</td></tr>
 * <tr><td>{@link #NOT_READY}</td><td>LOADING, BUSY</td><td>opens at once</td><td>stays</td></tr>
 * <tr><td>{@link #NOT_MASTER}</td><td>READONLY, MASTERDOWN</td><td>opens at once</td>
 *     <td>is replaced: the address may lead to another server by now</td></tr>
 * <tr><td>{@link #LOGIN}</td><td>NOAUTH, WRONGPASS</td><td>opens at once</td>
 *     <td>is replaced: the credentials may be others by now</td></tr>
 * <tr><td>{@link #NO_SLOT}</td><td>CLUSTERDOWN, TRYAGAIN</td><td>unchanged</td><td>looks for the masters</td></tr>
 * <tr><td>{@link #OTHER_SLOT}</td><td>MOVED, ASK, CROSSSLOT</td><td>unchanged: other keys may be well</td>
 *     <td>is replaced: it leads to a cluster, which is found out when connecting</td></tr>
 * <tr><td>{@link #NONSENSE}</td><td>a reply of another type than the script's, or shorter</td><td>opens at once</td>
 *     <td>is replaced, and replies that are still to come on it are not used: requests and replies have got out of step,
 *     and would answer each other's callers</td></tr>
 * <tr><td>{@link #REFUSED}</td><td>any other error: OOM, MISCONF, NOREPLICAS, NOPERM, WRONGTYPE, …</td>
 *     <td>unchanged: it says nothing about other calls</td><td>stays</td></tr>
 * </table>
 *
 * <p>An error that leaves the breaker unchanged costs a caller no more than a round trip, and Redis is in use again with
 * the first call that it accepts.
 */
enum Failure {
    NO_REPLY(Breaker.COUNTS, Link.REFRESHED),
    UNREACHABLE(Breaker.COUNTS, Link.REFRESHED),
    NOT_READY(Breaker.OPENS, Link.KEPT),
    NOT_MASTER(Breaker.OPENS, Link.REPLACED),
    LOGIN(Breaker.OPENS, Link.REPLACED),
    NO_SLOT(Breaker.UNCHANGED, Link.REFRESHED),
    OTHER_SLOT(Breaker.UNCHANGED, Link.REPLACED),
    NONSENSE(Breaker.OPENS, Link.REPLACED),
    REFUSED(Breaker.UNCHANGED, Link.KEPT);

    /** What a failure does to the circuit breaker of the master that was called. */
    enum Breaker {
        UNCHANGED,
        /** It opens after several such failures in a row. */
        COUNTS,
        OPENS
    }

    /** What a failure does to the connection. */
    enum Link {
        KEPT,
        /** It asks who the masters are. */
        REFRESHED,
        REPLACED
    }

    private static final Map<String, Failure> BY_CODE = Map.ofEntries(
            Map.entry("LOADING", NOT_READY),
            Map.entry("BUSY", NOT_READY),
            Map.entry("READONLY", NOT_MASTER),
            Map.entry("MASTERDOWN", NOT_MASTER),
            Map.entry("NOAUTH", LOGIN),
            Map.entry("WRONGPASS", LOGIN),
            Map.entry("CLUSTERDOWN", NO_SLOT),
            Map.entry("TRYAGAIN", NO_SLOT),
            Map.entry("MOVED", OTHER_SLOT),
            Map.entry("ASK", OTHER_SLOT),
            Map.entry("CROSSSLOT", OTHER_SLOT),
            Map.entry("NONSENSE", NONSENSE));

    /** A code at the start, or where a Redis older than 7 puts it: {@code ERR … @user_script: 4: -READONLY You can't …}. */
    private static final Pattern CODE = Pattern.compile("(?:^|@user_script: ?\\d+: -?)([A-Z]{2,})\\b");

    private static final int MAX_CAUSES = 8;

    private final Breaker breaker;
    private final Link link;

    Failure(Breaker breaker, Link link) {
        this.breaker = breaker;
        this.link = link;
    }

    Breaker breaker() {
        return breaker;
    }

    Link link() {
        return link;
    }

    /** Classifies what a connection reported. */
    static Failure of(Throwable failure) {
        ErrorReply reply = errorReply(failure);
        return reply == null ? UNREACHABLE : ofMessage(reply.getMessage());
    }

    /** Whether the server at the other end divides its keys into slots, as this failure says. */
    static boolean tellsOfSlots(Throwable failure) {
        Failure kind = of(failure);
        return kind == OTHER_SLOT || kind == NO_SLOT;
    }

    private static Failure ofMessage(String message) {
        for (Matcher code = CODE.matcher(message); code.find(); ) {
            Failure known = BY_CODE.get(code.group(1));
            if (known != null) {
                return known;
            }
        }
        return REFUSED;
    }

    private static @Nullable ErrorReply errorReply(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof ErrorReply reply) {
                return reply;
            }
            cause = cause.getCause();
        }
        return null;
    }
}
