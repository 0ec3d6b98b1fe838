package dev.sluice.redis.script;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The names of a limiter's keys in Redis.
 *
 * <pre>
 *   sluice:{login:ip%3A203.0.113.9}:2T1m
 *   prefix  limiter  key             {@linkplain LimitIdentity identity} of the limit
 *          '----- hash tag -----'
 * </pre>
 *
 * <p>Why it is escaped: no two keys may share a counter, so the separators must not occur in the parts. And a brace in a
 * key would move the hash tag, and with it the limits of one key to different slots.
 */
public final class KeyNames {
    private final String head;

    public KeyNames(String prefix, String limiter) {
        this.head = escapedPrefix(prefix) + ":{" + escaped(limiter) + ":";
    }

    /** The names for one key, one for each of these identities of limits. */
    public String[] of(String key, List<String> identities) {
        String stem = head + escaped(key) + "}:";
        String[] names = new String[identities.size()];
        for (int i = 0; i < names.length; i++) {
            names[i] = stem + identities.get(i);
        }
        return names;
    }

    /** A prefix keeps its colons, as the patterns of an ACL expect: it ends at the first brace. */
    private static String escapedPrefix(String prefix) {
        return Arrays.stream(prefix.split(":", -1)).map(KeyNames::escaped).collect(Collectors.joining(":"));
    }

    static String escaped(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPlain(text.charAt(i))) {
                return escapedFrom(text, i);
            }
        }
        return text;
    }

    private static String escapedFrom(String text, int start) {
        StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, start);
        for (int i = start; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            int length = Character.charCount(codePoint);
            if (length == 1 && isPlain((char) codePoint)) {
                escaped.append((char) codePoint);
            } else if (length == 1 && Character.isSurrogate((char) codePoint)) {
                escaped.append("%u").append(HexFormat.of().toHexDigits((char) codePoint)); // half a character
            } else {
                for (byte each : text.substring(i, i + length).getBytes(UTF_8)) {
                    escaped.append('%').append(HexFormat.of().withUpperCase().toHexDigits(each));
                }
            }
            i += length;
        }
        return escaped.toString();
    }

    private static boolean isPlain(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || "-_.~/@+=,".indexOf(c) >= 0;
    }
}
