package dev.sluice.rules;

import dev.sluice.rules.match.Address;
import java.util.List;

/**
 * Where a request comes from, past the proxies that are trusted.
 *
 * <p>Each proxy appends the address of whoever it was asked by to {@code X-Forwarded-For}, so the header is only as true
 * as who wrote it. It is read from its end, as long as the one who wrote the entry is trusted: the first address that is
 * not a trusted proxy's is the client's. What stands before that was written by the client, and means nothing. An entry
 * that is no address ends it too: then the request is put down to the proxy that reported it.
 */
public final class ClientAddress {
    /** The most entries that are looked at. */
    private static final int MOST_HOPS = 64;

    private ClientAddress() {}

    /**
     * The client's address in canonical form.
     *
     * @param peer the other end of the connection
     * @param forwardedFor the values of all headers {@code X-Forwarded-For}, in their order
     * @return the address; {@code peer} as it is if that is no address, such as the path of a socket
     */
    public static String of(TrustedProxies trusted, String peer, List<String> forwardedFor) {
        Address client = Address.parseHost(peer);
        if (client == null) {
            return peer;
        }
        int hops = 0;
        for (int i = forwardedFor.size() - 1; i >= 0; i--) {
            String header = forwardedFor.get(i);
            int end = header.length();
            while (end >= 0) {
                if (hops++ == MOST_HOPS || !trusted.contains(client)) {
                    return client.toString();
                }
                int comma = header.lastIndexOf(',', end - 1);
                Address before = Address.parseHost(header.substring(comma + 1, end));
                if (before == null) {
                    return client.toString();
                }
                client = before;
                end = comma;
            }
        }
        return client.toString();
    }
}
