package dev.sluice.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.rules.OnExceed;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.rules.file.RuleFileException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Rules that were proposed, as shadow rules: they count what they would deny, and deny nothing.
 *
 * <p>In the rules of a server they stand between two comments, directly under {@code rules:}. The first has a digest of
 * what stands between them, which says whether somebody has changed it since. Every text that is made here is read again,
 * and refused unless it has exactly the rules from before, and beside them nothing but shadow rules.
 */
final class ShadowRules {
    /** What is added to the names of proposed rules, so that they can stand beside those in force. */
    static final String SUFFIX = "-proposed";

    private static final Pattern NAME = Pattern.compile("(?m)^  - name: (\\S+)$");
    private static final Pattern LIMITS = Pattern.compile("(?m)^    limits: .*$");
    private static final Pattern RULES = Pattern.compile("(?m)^rules:[ \\t]*(?:#.*)?\\R");
    private static final Pattern ITEM = Pattern.compile("(?m)^( *)- ");
    private static final Pattern BLOCK =
            Pattern.compile("(?ms)^ *# sluice suggest proposes ([0-9a-f]{16}):.*?\\R(.*?)^ *# end of the proposal\\R");

    private final String entries;

    private ShadowRules(String entries) {
        this.entries = entries;
    }

    /** The rules of a file that {@code suggest} wrote, as shadow rules. */
    static ShadowRules of(String ruleFile) {
        String entries = ruleFile.substring(ruleFile.indexOf('\n') + 1);
        entries = NAME.matcher(entries).replaceAll("  - name: $1" + SUFFIX);
        entries = LIMITS.matcher(entries).replaceAll("$0\n    on-exceed: shadow");
        ShadowRules shadows = new ShadowRules(entries);
        List<Rule> rules = RuleFile.parse("proposal", shadows.file()).rules();
        if (rules.isEmpty() || !rules.stream().allMatch(ShadowRules::isProposed)) {
            throw new IllegalStateException("not all rules of the proposal are shadow rules: " + shadows.file());
        }
        return shadows;
    }

    private static boolean isProposed(Rule rule) {
        return rule.name().endsWith(SUFFIX) && rule.onExceed().action() == OnExceed.Action.SHADOW;
    }

    /** The names of the rules. */
    List<String> names() {
        return RuleFile.parse("proposal", file()).rules().stream()
                .map(Rule::name)
                .toList();
    }

    /** A rule file with these rules alone. */
    String file() {
        return "rules:\n" + entries;
    }

    /**
     * The rules of a server with these beside them, in place of those that were proposed before.
     *
     * @throws IllegalArgumentException if that cannot be done without changing anything else; the message says why
     */
    String beside(String text) {
        String without = without(text);
        Matcher place = RULES.matcher(without);
        if (!place.find()) {
            throw new IllegalArgumentException("they are not a list under a line of its own, 'rules:'");
        }
        Matcher item = ITEM.matcher(without);
        String indent = item.find(place.end()) ? item.group(1) : "  ";
        String block = entries.indent(indent.length() - 2);
        String together = without.substring(0, place.end()) + indent + "# sluice suggest proposes " + digest(block)
                + ": these rules deny nothing, they only count\n" + block + indent + "# end of the proposal\n"
                + without.substring(place.end());
        check(without, together);
        return together;
    }

    /** The rules without those that were proposed before. */
    private static String without(String text) {
        Matcher block = BLOCK.matcher(text);
        if (!block.find()) {
            return text;
        }
        if (!block.group(1).equals(digest(block.group(2)))) {
            throw new IllegalArgumentException("somebody has changed what was proposed before");
        }
        return text.substring(0, block.start()) + text.substring(block.end());
    }

    private static void check(String before, String after) {
        RuleSet old;
        RuleSet now;
        try {
            old = RuleFile.parse("rules", before);
            now = RuleFile.parse("rules", after);
        } catch (RuleFileException e) {
            throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
        }
        List<Rule> others = new ArrayList<>(now.rules());
        others.removeAll(old.rules());
        List<Rule> kept = now.rules().stream().filter(old.rules()::contains).toList();
        if (!kept.equals(old.rules()) || !others.stream().allMatch(ShadowRules::isProposed)) {
            throw new IllegalArgumentException("the rules would not be the same as before, with "
                    + others.stream().map(Rule::name).collect(Collectors.joining(", ")) + " beside them");
        }
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
