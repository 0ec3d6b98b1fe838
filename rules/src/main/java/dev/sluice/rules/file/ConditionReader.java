package dev.sluice.rules.file;

import dev.sluice.rules.Quoted;
import dev.sluice.rules.Request;
import dev.sluice.rules.match.Attributes;
import dev.sluice.rules.match.Condition;
import dev.sluice.rules.match.Glob;
import dev.sluice.rules.match.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads what attributes must be: a value, a glob, a network, a list of these, or {@code not:} any of it. */
final class ConditionReader {
    private static final String NOT = "not";
    private static final String EXPECTED =
            "a value, a glob such as /api/**, a network such as 198.51.100.0/24, a list" + " of these, or { not: … }";

    private final FileProblems problems;

    ConditionReader(FileProblems problems) {
        this.problems = problems;
    }

    /** The condition that {@code field} of a mapping writes; null if it writes none. */
    @Nullable
    Condition condition(String name, Fields.Field field, String path) {
        String attribute = attribute(name, field.name(), path);
        List<Pattern> any = new ArrayList<>();
        List<Pattern> none = new ArrayList<>();
        List<Node> written = Fields.listOrOne(field.value());
        for (int i = 0; i < written.size(); i++) {
            Node each = written.get(i);
            String place = Fields.place(field.value(), path, i);
            if (each instanceof MappingNode) {
                negated(attribute == null ? name : attribute, each, place, none);
            } else {
                pattern(attribute == null ? name : attribute, each, place, EXPECTED, any);
            }
        }
        if (written.isEmpty()) {
            problems.add(field.value(), path, "expected " + EXPECTED + ", was an empty list");
        }
        return attribute == null || (any.isEmpty() && none.isEmpty()) ? null : new Condition(attribute, any, none);
    }

    private void negated(String attribute, Node node, String path, List<Pattern> none) {
        Fields fields = Fields.known(node, path, EXPECTED, Set.of(NOT), problems);
        Node not = fields == null ? null : fields.required(NOT, "a value or a list of values", problems);
        if (not == null) {
            return;
        }
        String place = path + "." + NOT;
        List<Node> written = Fields.listOrOne(not);
        for (int i = 0; i < written.size(); i++) {
            String at = Fields.place(not, place, i);
            pattern(attribute, written.get(i), at, "a value, a glob or a network", none);
        }
        if (written.isEmpty()) {
            problems.add(not, place, "expected a value or a list of values, was an empty list");
        }
    }

    private void pattern(String attribute, Node node, String path, String expected, List<Pattern> into) {
        String text = Fields.text(node, path, expected, problems);
        if (text == null) {
            return;
        }
        try {
            Pattern pattern = Pattern.parse(attribute, text);
            if (attribute.equals(Attributes.IP) && pattern instanceof Pattern.Exact) {
                problems.add(
                        node,
                        path,
                        "expected an address such as 203.0.113.9, or a network such as"
                                + " 198.51.100.0/24 or 2001:db8::/32, was " + Quoted.quoted(text));
            } else if (pattern instanceof Pattern.Exact exact && !isWritten(text, exact)) {
                problems.add(
                        node,
                        path,
                        "would never match: paths are compared in their normal form, " + Quoted.quoted(exact.value())
                                + ", was " + Quoted.quoted(text));
            } else {
                into.add(pattern);
            }
        } catch (IllegalArgumentException e) {
            problems.add(node, path, String.valueOf(e.getMessage()));
        }
    }

    private static boolean isWritten(String text, Pattern.Exact exact) {
        return Glob.parse(text).literal().equals(exact.value());
    }

    /** An attribute's name in lower case; null, and a problem, if it cannot be one. */
    @Nullable
    String attribute(String name, Node node, String path) {
        boolean spaced = name.chars().anyMatch(c -> c <= ' ' || c == 127);
        if (name.isEmpty() || name.length() > Request.MAX_NAME || spaced) {
            problems.add(
                    node,
                    path,
                    "expected the name of an attribute, such as ip, path or header.x-api-key, was "
                            + Quoted.quoted(name));
            return null;
        }
        if (name.equals(NOT)) {
            problems.add(node, path, "'not' stands within an attribute: path: { not: /health }");
            return null;
        }
        return name.toLowerCase(Locale.ROOT);
    }
}
