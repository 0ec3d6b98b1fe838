package dev.sluice.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * The names of the counters of overrides: {@code rule/ip=198.51.100.0/24}. Made of what they match and not of their
 * place, so that their counts stay theirs when another is put before them.
 */
final class OverrideNames {
    private static final int LONGEST = 48;
    private static final int STEM = 32;

    private OverrideNames() {}

    static String of(Rule rule, RuleOverride override) {
        String text = override.when().stream()
                .map(condition -> condition.toString().replace(": ", "="))
                .collect(Collectors.joining(","));
        return rule.name() + "/" + (text.length() <= LONGEST ? text : text.substring(0, STEM) + "~" + digest(text));
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
