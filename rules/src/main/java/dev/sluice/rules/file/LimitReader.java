package dev.sluice.rules.file;

import dev.sluice.Durations;
import dev.sluice.Limit;
import dev.sluice.rules.Quoted;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads the limits of a rule, in their short form and as mappings. */
final class LimitReader {
    /** The most limits of one rule. */
    static final int MOST = 16;

    private static final String UNLIMITED = "unlimited";
    private static final String EXPECTED =
            "a limit such as '5 per 1m', '100 per 1d fixed-window aligned=UTC', '20 at once' or 'unlimited'";
    private static final Set<String> FIELDS = fields();

    private final FileProblems problems;

    LimitReader(FileProblems problems) {
        this.problems = problems;
    }

    private static Set<String> fields() {
        Set<String> fields = new LinkedHashSet<>(List.of("permits", "per", "algorithm"));
        LimitSpec.ALGORITHMS.values().forEach(fields::addAll);
        return fields;
    }

    /** The limits that a field holds; none for unlimited. */
    List<Limit> limits(Node node, String path) {
        List<Node> written = Fields.listOrOne(node);
        if (written.isEmpty() || written.size() > MOST) {
            problems.add(node, path, "expected 1 to " + MOST + " limits, or 'unlimited', were " + written.size());
            return List.of();
        }
        List<Limit> limits = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            Node each = written.get(i);
            String place = Fields.place(node, path, i);
            if (each instanceof ScalarNode scalar && scalar.getValue().equals(UNLIMITED)) {
                if (written.size() > 1) {
                    problems.add(each, place, "unlimited stands alone, without other limits");
                }
                continue;
            }
            Limit limit = each instanceof MappingNode ? mapped(each, place) : shortForm(each, place);
            if (limit != null) {
                limits.add(limit);
            }
        }
        return limits;
    }

    /** A limit in the short form that stands by itself; null, or anything, with a problem. */
    @Nullable
    Limit limit(String text) {
        return shortForm(new ScalarNode(Tag.STR, text, ScalarStyle.DOUBLE_QUOTED), "");
    }

    private @Nullable Limit mapped(Node node, String path) {
        Fields fields = Fields.known(node, path, EXPECTED, FIELDS, problems);
        if (fields == null) {
            return null;
        }
        LimitSpec spec = new LimitSpec(problems);
        fields.all().forEach((name, field) -> {
            String text =
                    FIELDS.contains(name) ? Fields.text(field.value(), fields.path(name), "a value", problems) : null;
            LimitSpec.Part part = new LimitSpec.Part(text == null ? "" : text, field.value(), 0, fields.path(name));
            if (text == null) {
                return;
            }
            switch (name) {
                case "permits" -> spec.permits(part);
                case "per" -> spec.per(part);
                case "algorithm" -> spec.algorithm(part);
                default -> spec.option(name, part);
            }
        });
        if (fields.required("permits", "how many", problems) == null) {
            return null;
        }
        Node algorithm = fields.get("algorithm");
        boolean held = algorithm instanceof ScalarNode name && name.getValue().equals(LimitSpec.CONCURRENCY);
        if (!held && fields.required("per", Durations.EXPECTED, problems) == null) {
            return null;
        }
        spec.checkOptions();
        return spec.build(node, path);
    }

    private @Nullable Limit shortForm(Node node, String path) {
        String text = Fields.text(node, path, EXPECTED, problems);
        if (text == null) {
            return null;
        }
        List<LimitSpec.Part> words = words(text, node, path);
        if (words.size() == 3
                && words.get(1).text().equals("at")
                && words.get(2).text().equals("once")) {
            LimitSpec spec = new LimitSpec(problems);
            spec.permits(words.get(0));
            spec.algorithm(new LimitSpec.Part(LimitSpec.CONCURRENCY, node, 0, path));
            return spec.build(node, path);
        }
        if (words.size() < 3 || !words.get(1).text().equals("per")) {
            int at = words.size() > 1 ? words.get(1).offset() : 0;
            String hint = text.startsWith("unl") ? DidYouMean.hint(text, List.of(UNLIMITED)) : "";
            problems.add(node, at, path, "expected " + EXPECTED + ", was " + Quoted.quoted(text) + hint);
            return null;
        }
        return rate(words, node, path);
    }

    private @Nullable Limit rate(List<LimitSpec.Part> words, Node node, String path) {
        LimitSpec spec = new LimitSpec(problems);
        spec.permits(words.get(0));
        spec.per(words.get(2));
        for (int i = 3; i < words.size(); i++) {
            LimitSpec.Part word = words.get(i);
            int equals = word.text().indexOf('=');
            String name = equals < 0 ? word.text() : word.text().substring(0, equals);
            if (i == 3 && equals < 0 && !isFlag(name)) {
                spec.algorithm(word);
            } else {
                String value = equals < 0 ? "" : word.text().substring(equals + 1);
                spec.option(name, new LimitSpec.Part(value, node, word.offset(), path));
                if (equals < 0 ? !isFlag(name) : value.isEmpty()) {
                    spec.problem(word, "expected option=value, was " + Quoted.quoted(word.text()));
                }
            }
        }
        spec.checkOptions();
        return spec.build(node, path);
    }

    private static boolean isFlag(String name) {
        return name.equals("aligned") || name.equals("weighted") || name.equals("queue");
    }

    private static List<LimitSpec.Part> words(String text, Node node, String path) {
        List<LimitSpec.Part> words = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            if (Character.isWhitespace(text.charAt(at))) {
                at++;
                continue;
            }
            int start = at;
            while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            words.add(new LimitSpec.Part(text.substring(start, at), node, start, path));
        }
        return words;
    }
}
