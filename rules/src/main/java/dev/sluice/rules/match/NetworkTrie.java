package dev.sluice.rules.match;

import org.jspecify.annotations.Nullable;

/**
 * Nodes of the index by network. One walk along the bits of an address finds every network it lies in; bits that all
 * networks below have in common are one step.
 */
final class NetworkTrie {
    private final Network network;
    private Index.@Nullable IndexNode node;
    private final @Nullable NetworkTrie[] next = new @Nullable NetworkTrie[2];

    private NetworkTrie(Network network, Index.@Nullable IndexNode node) {
        this.network = network;
        this.node = node;
    }

    /** Adds a network to {@code trie}, which is null while it is empty. */
    static NetworkTrie with(@Nullable NetworkTrie trie, Network network, Index.IndexNode node) {
        if (trie == null) {
            return new NetworkTrie(network, node);
        }
        int same = Math.min(
                trie.network.first().commonBits(network.first()), Math.min(trie.network.bits(), network.bits()));
        if (same == trie.network.bits()) {
            if (same == network.bits()) {
                trie.node = node;
            } else {
                int side = network.first().bit(same);
                trie.next[side] = with(trie.next[side], network, node);
            }
            return trie;
        }
        NetworkTrie fork = new NetworkTrie(new Network(network.first(), same), null);
        fork.next[trie.network.first().bit(same)] = trie;
        return with(fork, network, node);
    }

    /** Visits the node of every network that {@code address} lies in. */
    void find(Address address, Matches matches) {
        NetworkTrie trie = this;
        while (trie != null && trie.network.contains(address)) {
            Index.IndexNode here = trie.node;
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
            if (trie.node != null) {
                return true;
            }
            trie = trie.network.bits() == 128 ? null : trie.next[address.bit(trie.network.bits())];
        }
        return false;
    }
}
