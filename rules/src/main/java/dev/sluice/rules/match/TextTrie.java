package dev.sluice.rules.match;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of the index by prefix, or by suffix. One walk along a value finds every prefix of it; text that all entries
 * below have in common is one step.
 */
final class TextTrie {
    /** The end from which texts are read. */
    enum Direction {
        FORWARD,
        BACKWARD
    }

    private final Direction direction;
    private final TrieNode root = new TrieNode("");

    TextTrie(Direction direction) {
        this.direction = direction;
    }

    /** A piece of text, and the pieces that can follow it. */
    private static final class TrieNode {
        String text;
        Index.@Nullable IndexNode node;
        char[] firstChars = {};
        TrieNode[] children = {};

        TrieNode(String text) {
            this.text = text;
        }

        @Nullable
        TrieNode child(char first) {
            for (int i = 0; i < firstChars.length; i++) {
                if (firstChars[i] == first) {
                    return children[i];
                }
            }
            return null;
        }

        void add(TrieNode child) {
            int at = firstChars.length;
            firstChars = Arrays.copyOf(firstChars, at + 1);
            children = Arrays.copyOf(children, at + 1);
            firstChars[at] = child.text.charAt(0);
            children[at] = child;
        }

        /** Splits the text at an index; the rest becomes a child. */
        void split(int at) {
            TrieNode rest = new TrieNode(text.substring(at));
            rest.node = node;
            rest.firstChars = firstChars;
            rest.children = children;
            text = text.substring(0, at);
            node = null;
            firstChars = new char[0];
            children = new TrieNode[0];
            add(rest);
        }
    }

    void put(String text, Index.IndexNode node) {
        String left = direction == Direction.FORWARD
                ? text
                : new StringBuilder(text).reverse().toString();
        TrieNode position = root;
        while (!left.isEmpty()) {
            TrieNode next = position.child(left.charAt(0));
            if (next == null) {
                next = new TrieNode(left);
                position.add(next);
            }
            int same = 0;
            while (same < Math.min(left.length(), next.text.length()) && left.charAt(same) == next.text.charAt(same)) {
                same++;
            }
            if (same < next.text.length()) {
                next.split(same);
            }
            left = left.substring(same);
            position = next;
        }
        position.node = node;
    }

    /** Visits the node of every text that {@code value} begins with. */
    void find(String value, Matches matches) {
        TrieNode position = root;
        int at = 0;
        while (position.children.length > 0 && at < value.length()) {
            position = position.child(at(value, at));
            if (position == null || !continuesWith(value, at, position.text)) {
                return;
            }
            at += position.text.length();
            Index.IndexNode node = position.node;
            if (node != null) {
                node.find(matches);
            }
        }
    }

    private boolean continuesWith(String value, int at, String text) {
        if (value.length() - at < text.length()) {
            return false;
        }
        for (int i = 1; i < text.length(); i++) {
            if (at(value, at + i) != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private char at(String value, int index) {
        return value.charAt(direction == Direction.FORWARD ? index : value.length() - 1 - index);
    }
}
