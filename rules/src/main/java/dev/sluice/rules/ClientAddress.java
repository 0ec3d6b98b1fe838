package dev.sluice.rules;

import dev.sluice.rules.match.Address;
import java.util.List;

/**
 * Where a request comes from, past the proxies that are trusted.
 *
 * <p>Each proxy appends the address of its own peer to {@code X-Forwarded-For}. The header is read from its end, as long
 * as the proxy that wrote the entry is trusted: the first address that is not a trusted proxy's is the client's. Entries
 * before it were written by the client and are ignored. An entry that is no address ends the reading too: the client is
 * then the proxy that wrote it.
 */
public final class ClientAddress {
    /** The largest number of entries that are looked at. */
    private static final int MAX_HOPS = 64;

    private ClientAddress() {}

    /**
     * The client's address in canonical form.
     *
     * @param peer the other end of the connection
     * @param forwardedFor the values of all headers {@code X-Forwarded-For}, in their order
     * @return the address; {@code peer} as it is if that is no address, such as the path of a socket
     */
    public static String of(TrustedProxies trusted, String peer, List<String> forwardedFor) {
        if (forwardedFor.isEmpty()) {
            String canonical = Address.canonical(peer);
            return canonical == null ? peer : canonical;
        }
        Address client = Address.parseHost(peer);
        if (client == null) {
            return peer;
        }
        int hops = 0;
        for (int i = forwardedFor.size() - 1; i >= 0; i--) {
            String header = forwardedFor.get(i);
            int end = header.length();
            while (end >= 0) {
                if (hops++ == MAX_HOPS || !trusted.contains(client)) {
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
