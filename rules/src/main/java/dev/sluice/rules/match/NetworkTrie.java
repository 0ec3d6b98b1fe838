package dev.sluice.rules.match;

import org.jspecify.annotations.Nullable;

/**
 * Drawers by network. Going along the bits of an address meets every network it lies in; bits that all networks below
 * have in common are one step.
 */
final class NetworkTrie {
    private final Network network;
    private Index.@Nullable IndexNode drawer;
    private final @Nullable NetworkTrie[] next = new @Nullable NetworkTrie[2];

    private NetworkTrie(Network network, Index.@Nullable IndexNode drawer) {
        this.network = network;
        this.drawer = drawer;
    }

    /** {@code trie}, which may be none yet, with a network more. */
    static NetworkTrie with(@Nullable NetworkTrie trie, Network network, Index.IndexNode drawer) {
        if (trie == null) {
            return new NetworkTrie(network, drawer);
        }
        int same = Math.min(
                trie.network.first().commonBits(network.first()), Math.min(trie.network.bits(), network.bits()));
        if (same == trie.network.bits()) {
            if (same == network.bits()) {
                trie.drawer = drawer;
            } else {
                int side = network.first().bit(same);
                trie.next[side] = with(trie.next[side], network, drawer);
            }
            return trie;
        }
        NetworkTrie fork = new NetworkTrie(new Network(network.first(), same), null);
        fork.next[trie.network.first().bit(same)] = trie;
        return with(fork, network, drawer);
    }

    /** Looks into every drawer whose network {@code address} lies in. */
    void find(Address address, Matches matches) {
        NetworkTrie trie = this;
        while (trie != null && trie.network.contains(address)) {
            Index.IndexNode here = trie.drawer;
            if (here != null) {
                here.find(matches);
            }
            trie = trie.network.bits() == 128 ? null : trie.next[address.bit(trie.network.bits())];
        }
    }

    /** Whether {@code address} lies in one of the networks. */
    boolean contains(Address address) {
        NetworkTrie trie = this;
        while (trie != null && trie.network.contains(address)) {
            if (trie.drawer != null) {
                return true;
            }
            trie = trie.network.bits() == 128 ? null : trie.next[address.bit(trie.network.bits())];
        }
        return false;
    }
}
