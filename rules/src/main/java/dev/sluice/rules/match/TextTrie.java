package dev.sluice.rules.match;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Drawers by the text that values begin with, or end with. Going along a value meets every one of its beginnings, in
 * steps as long as the texts have in common.
 */
final class TextTrie {
    /** From which end texts are read. */
    enum Way {
        FORWARD,
        BACKWARD
    }

    private final Way way;
    private final TrieNode root = new TrieNode("");

    TextTrie(Way way) {
        this.way = way;
    }

    /** A piece of text, and what follows after it. */
    private static final class TrieNode {
        String text;
        Index.@Nullable IndexNode drawer;
        char[] firsts = {};
        TrieNode[] next = {};

        TrieNode(String text) {
            this.text = text;
        }

        @Nullable
        TrieNode after(char first) {
            for (int i = 0; i < firsts.length; i++) {
                if (firsts[i] == first) {
                    return next[i];
                }
            }
            return null;
        }

        void grow(TrieNode twig) {
            int at = firsts.length;
            firsts = Arrays.copyOf(firsts, at + 1);
            next = Arrays.copyOf(next, at + 1);
            firsts[at] = twig.text.charAt(0);
            next[at] = twig;
        }

        /** Cuts the text here; what came after comes after the cut. */
        void cut(int at) {
            TrieNode rest = new TrieNode(text.substring(at));
            rest.drawer = drawer;
            rest.firsts = firsts;
            rest.next = next;
            text = text.substring(0, at);
            drawer = null;
            firsts = new char[0];
            next = new TrieNode[0];
            grow(rest);
        }
    }

    void put(String text, Index.IndexNode drawer) {
        String left =
                way == Way.FORWARD ? text : new StringBuilder(text).reverse().toString();
        TrieNode twig = root;
        while (!left.isEmpty()) {
            TrieNode next = twig.after(left.charAt(0));
            if (next == null) {
                next = new TrieNode(left);
                twig.grow(next);
            }
            int same = 0;
            while (same < Math.min(left.length(), next.text.length()) && left.charAt(same) == next.text.charAt(same)) {
                same++;
            }
            if (same < next.text.length()) {
                next.cut(same);
            }
            left = left.substring(same);
            twig = next;
        }
        twig.drawer = drawer;
    }

    /** Looks into every drawer whose text {@code value} begins with. */
    void find(String value, Matches matches) {
        TrieNode twig = root;
        int at = 0;
        while (twig.next.length > 0 && at < value.length()) {
            twig = twig.after(at(value, at));
            if (twig == null || !goesOn(value, at, twig.text)) {
                return;
            }
            at += twig.text.length();
            Index.IndexNode drawer = twig.drawer;
            if (drawer != null) {
                drawer.find(matches);
            }
        }
    }

    private boolean goesOn(String value, int at, String text) {
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
        return value.charAt(way == Way.FORWARD ? index : value.length() - 1 - index);
    }
}
