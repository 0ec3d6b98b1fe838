package dev.sluice.rules.file;

import dev.sluice.MemorySize;
import dev.sluice.rules.GeoDatabase;
import dev.sluice.rules.Rule;
import dev.sluice.rules.RuleSet;
import dev.sluice.rules.TrustedProxies;
import dev.sluice.rules.match.Network;
import dev.sluice.rules.match.PathOptions;
import dev.sluice.text.Quoted;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a whole rule file. */
final class RuleSetReader {
    private static final Set<String> FIELDS = Set.of(
            "store",
            "memory",
            "trusted-proxies",
            "geo-database",
            "ipv6-prefix",
            "path-case",
            "path-trailing-slash",
            "rules");
    private static final String EXPECTED = "a mapping with 'rules'";
    private static final String STORE = "rediss?(-sentinel|-cluster)?://\\S+";
    private static final int MAX_DEPTH = 32;
    private static final int MAX_RULES = 100_000;

    private final FileProblems problems;
    private final Path folder;

    RuleSetReader(FileProblems problems, Path folder) {
        this.problems = problems;
        this.folder = folder;
    }

    /** The rules of a file; null if there was a problem. */
    @Nullable
    RuleSet rules(String text) {
        YamlValue root = YamlDocument.read(text, EXPECTED, MAX_DEPTH, problems);
        YamlFields fields = root == null ? null : root.fields(EXPECTED, FIELDS);
        if (fields == null) {
            return null;
        }
        String store = store(fields);
        String memory = memory(fields);
        TrustedProxies proxies = proxies(fields);
        PathOptions paths = paths(fields);
        GeoDatabase geo = geo(fields);
        List<Rule> rules = rules(fields);
        return problems.isEmpty() ? new RuleSet(store, memory, rules, proxies, paths, geo) : null;
    }

    private static String store(YamlFields fields) {
        YamlValue value = fields.get("store");
        String expected = "memory, or the URL of a Redis such as redis://127.0.0.1:6379";
        String text = value == null ? null : value.text(expected);
        if (value == null || text == null) {
            return RuleSet.MEMORY;
        }
        if (!text.equals(RuleSet.MEMORY) && !text.matches(STORE)) {
            value.unexpected(expected, List.of(RuleSet.MEMORY));
        }
        return text;
    }

    private static @Nullable String memory(YamlFields fields) {
        YamlValue value = fields.get("memory");
        String text = value == null ? null : value.text(MemorySize.EXPECTED);
        if (value == null || text == null) {
            return null;
        }
        try {
            MemorySize.parse(text);
        } catch (IllegalArgumentException e) {
            value.problem(Objects.requireNonNullElse(e.getMessage(), MemorySize.EXPECTED));
        }
        return text;
    }

    private static TrustedProxies proxies(YamlFields fields) {
        YamlValue value = fields.get("trusted-proxies");
        String expected = "addresses and networks such as [127.0.0.1, 10.0.0.0/8]";
        List<Network> networks = new ArrayList<>();
        for (YamlValue each : value == null ? List.<YamlValue>of() : value.listOrOne()) {
            String text = each.text(expected);
            Network network = text == null ? null : Network.parse(text);
            if (network != null) {
                networks.add(network);
            } else if (text != null) {
                each.unexpected(expected);
            }
        }
        return new TrustedProxies(networks);
    }

    private static PathOptions paths(YamlFields fields) {
        PathOptions.Comparison[] choices = PathOptions.Comparison.values();
        return new PathOptions(
                RuleReader.choice(fields, "path-case", PathOptions.DEFAULT.letterCase(), choices),
                RuleReader.choice(fields, "path-trailing-slash", PathOptions.DEFAULT.trailingSlash(), choices));
    }

    private @Nullable GeoDatabase geo(YamlFields fields) {
        YamlValue value = fields.get("geo-database");
        String text = value == null ? null : value.text("a MaxMind database file");
        if (value == null || text == null) {
            return null;
        }
        try {
            return GeoDatabase.open(folder.resolve(text));
        } catch (NoSuchFileException | InvalidPathException e) {
            value.problem("there is no file " + Quoted.quoted(text) + ", counted from the rule file");
        } catch (IOException | RuntimeException e) {
            value.problem("not a MaxMind database file: " + e.getMessage());
        }
        return null;
    }

    private static List<Rule> rules(YamlFields fields) {
        YamlValue value = fields.required("rules", "a list of rules");
        List<YamlValue> written = value == null ? List.of() : value.list("a list of rules");
        if (value != null && written.size() > MAX_RULES) {
            value.problem("at most " + MAX_RULES + " rules, were " + written.size());
            return List.of();
        }
        int ipv6Prefix = RuleReader.ipv6Prefix(fields, Rule.IPV6_PREFIX);
        List<Rule> rules = new ArrayList<>();
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < written.size(); i++) {
            YamlValue each = written.get(i);
            Rule rule = RuleReader.rule(each, ipv6Prefix);
            if (rule == null) {
                continue;
            }
            Integer before = places.putIfAbsent(rule.name(), i);
            if (before != null) {
                each.problem("rules[" + before + "] has the name '" + rule.name() + "' already");
            }
            rules.add(rule);
        }
        return rules;
    }
}
