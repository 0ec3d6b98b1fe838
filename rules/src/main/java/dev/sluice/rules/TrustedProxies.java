package dev.sluice.rules;

import dev.sluice.rules.match.Address;
import dev.sluice.rules.match.Network;
import java.util.List;

/** The proxies whose {@code X-Forwarded-For} is believed. */
public record TrustedProxies(List<Network> networks) {
    /** No proxies. */
    public static final TrustedProxies NONE = new TrustedProxies(List.of());

    public TrustedProxies {
        networks = List.copyOf(networks);
    }

    /** Whether {@code address} is that of a trusted proxy. */
    public boolean contains(Address address) {
        for (int i = 0; i < networks.size(); i++) {
            if (networks.get(i).contains(address)) {
                return true;
            }
        }
        return false;
    }
}
