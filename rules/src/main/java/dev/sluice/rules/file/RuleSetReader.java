package dev.sluice.rules.file;

import dev.sluice.rules.GeoDatabase;
import dev.sluice.rules.Quoted;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.TrustedProxies;
import dev.sluice.rules.match.Network;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads a whole rule file. */
final class RuleSetReader {
    private static final Set<String> FIELDS =
            new LinkedHashSet<>(List.of("store", "trusted-proxies", "geo-database", "ipv6-prefix", "rules"));
    private static final String STORE = "rediss?(-sentinel|-cluster)?://\\S+";
    private static final int MOST_RULES = 100_000;

    private final FileProblems problems;
    private final Path folder;

    RuleSetReader(FileProblems problems, Path folder) {
        this.problems = problems;
        this.folder = folder;
    }

    /** The rules that {@code text} writes; null, or anything, with a problem. */
    @Nullable
    RuleSet rules(String text) {
        Node root = text.length() > YamlDocument.MAX_LENGTH ? tooLong(text) : new YamlDocument(text, problems).root();
        Fields fields = root == null ? null : Fields.known(root, "", "a mapping with 'rules'", FIELDS, problems);
        if (fields == null) {
            return null;
        }
        String store = store(fields);
        TrustedProxies proxies = proxies(fields);
        GeoDatabase geo = geo(fields);
        List<Rule> rules = rules(fields);
        return problems.isEmpty() ? new RuleSet(store, rules, proxies, geo) : null;
    }

    private @Nullable Node tooLong(String text) {
        problems.add(0, 0, "", "", "too large: " + text.length() + " characters, at most " + YamlDocument.MAX_LENGTH);
        return null;
    }

    private String store(Fields fields) {
        Node node = fields.get("store");
        String expected = "memory, or the URL of a Redis such as redis://127.0.0.1:6379";
        String text = node == null ? null : Fields.text(node, "store", expected, problems);
        if (node == null || text == null) {
            return RuleSet.MEMORY;
        }
        if (!text.equals(RuleSet.MEMORY) && !text.matches(STORE)) {
            problems.add(
                    node,
                    "store",
                    "expected " + expected + ", was " + Quoted.quoted(text)
                            + DidYouMean.hint(text, List.of(RuleSet.MEMORY)));
        }
        return text;
    }

    private TrustedProxies proxies(Fields fields) {
        Node node = fields.get("trusted-proxies");
        String expected = "addresses and networks such as [127.0.0.1, 10.0.0.0/8]";
        List<Network> networks = new ArrayList<>();
        for (Node each : node == null ? List.<Node>of() : Fields.listOrOne(node)) {
            String text = Fields.text(each, "trusted-proxies", expected, problems);
            Network network = text == null ? null : Network.parse(text);
            if (network != null) {
                networks.add(network);
            } else if (text != null) {
                problems.add(each, "trusted-proxies", "expected " + expected + ", was " + Quoted.quoted(text));
            }
        }
        return new TrustedProxies(networks);
    }

    private @Nullable GeoDatabase geo(Fields fields) {
        Node node = fields.get("geo-database");
        String text = node == null ? null : Fields.text(node, "geo-database", "a MaxMind database file", problems);
        if (node == null || text == null) {
            return null;
        }
        try {
            return GeoDatabase.open(folder.resolve(text));
        } catch (NoSuchFileException | InvalidPathException e) {
            problems.add(
                    node, "geo-database", "there is no file " + Quoted.quoted(text) + ", counted from the rule file");
        } catch (IOException | RuntimeException e) {
            problems.add(node, "geo-database", "not a MaxMind database file: " + e.getMessage());
        }
        return null;
    }

    private List<Rule> rules(Fields fields) {
        Node node = fields.required("rules", "a list of rules", problems);
        List<Node> written = node == null ? List.of() : Fields.list(node, "rules", "a list of rules", problems);
        if (node != null && written.size() > MOST_RULES) {
            problems.add(node, "rules", "at most " + MOST_RULES + " rules, were " + written.size());
            return List.of();
        }
        RuleReader reader = new RuleReader(problems, RuleReader.prefix(fields, Rule.IPV6_PREFIX, problems));
        List<Rule> rules = new ArrayList<>();
        Map<String, Integer> lines = new HashMap<>();
        for (int i = 0; i < written.size(); i++) {
            Node each = written.get(i);
            Rule rule = reader.rule(each, "rules[" + i + "]");
            if (rule == null) {
                continue;
            }
            Integer before = lines.putIfAbsent(rule.name(), Fields.line(each));
            if (before != null) {
                problems.add(
                        each,
                        "rules[" + i + "].name",
                        "the rule in line " + before + " is named '" + rule.name() + "' already");
            }
            rules.add(rule);
        }
        return rules;
    }
}
