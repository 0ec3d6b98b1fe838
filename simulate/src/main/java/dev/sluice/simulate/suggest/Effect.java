package dev.sluice.simulate.suggest;

/**
 * What limits would have cut.
 *
 * @param keptRequests requests of clients that are not left out
 * @param keptClients how many of these clients were cut at least once
 * @param leftOutRequests requests of clients that are left out
 * @param leftOutClients how many of these clients were cut at least once
 */
public record Effect(long keptRequests, long keptClients, long leftOutRequests, long leftOutClients) {
    static final Effect NONE = new Effect(0, 0, 0, 0);

    /** Of all clients. */
    public long requests() {
        return keptRequests + leftOutRequests;
    }

    /** Of both kinds. */
    public long clients() {
        return keptClients + leftOutClients;
    }

    Effect plus(Effect other) {
        return new Effect(
                keptRequests + other.keptRequests,
                keptClients + other.keptClients,
                leftOutRequests + other.leftOutRequests,
                leftOutClients + other.leftOutClients);
    }

    static Effect of(boolean leftOut, long denied) {
        int client = denied > 0 ? 1 : 0;
        return leftOut ? new Effect(0, 0, denied, client) : new Effect(denied, client, 0, 0);
    }
}
