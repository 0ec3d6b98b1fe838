package dev.sluice.server.envoy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The fields of one mapping in a file. Asking for one of the wrong type adds a problem and gives the default. */
final class Fields {
    private static final String MERGE = "<<";
    private static final Set<String> YES = Set.of("true", "yes", "on", "y");
    private static final Set<String> NO = Set.of("false", "no", "off", "n", "");
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9_]*");
    private static final long MOST_REQUESTS = 0xFFFF_FFFFL;

    private final Problems problems;
    private final Node where;
    private final Map<String, Node> values = new LinkedHashMap<>();

    private Fields(Problems problems, Node where) {
        this.problems = problems;
        this.where = where;
    }

    /** The fields of {@code node}, each of which must be in {@code known}. */
    static Fields of(Node node, String what, List<String> known, Problems problems) {
        Fields fields = new Fields(problems, node);
        if (node instanceof MappingNode mapping) {
            fields.own(mapping, what, known);
            fields.merged(mapping, known);
        } else {
            problems.add(
                    node,
                    what + " must be a mapping with the fields " + String.join(", ", known) + ", was "
                            + describe(node));
        }
        return fields;
    }

    private void own(MappingNode mapping, String what, List<String> known) {
        for (NodeTuple tuple : mapping.getValue()) {
            Node key = tuple.getKeyNode();
            String name = text(key);
            if (name == null) {
                problems.add(key, "a field's name must be plain text, was " + describe(key));
            } else if (known.contains(name)) {
                if (values.put(name, tuple.getValueNode()) != null) {
                    problems.add(key, what + " has '" + name + "' twice");
                }
            } else if (!name.equals(MERGE)) {
                problems.add(key, misplaced(name, what, known));
            }
        }
    }

    private static String misplaced(String name, String what, List<String> known) {
        String home = EnvoyFileReader.home(name);
        return home == null
                ? what + " has the unknown field '" + name + "'; " + Problems.suggest(name, known)
                : "'" + name + "' has no effect in " + what + "; it belongs in " + home;
    }

    /** What {@code <<: *anchor} brings in, where the mapping does not say otherwise. */
    private void merged(MappingNode mapping, List<String> known) {
        for (NodeTuple tuple : mapping.getValue()) {
            if (MERGE.equals(text(tuple.getKeyNode()))) {
                Node from = tuple.getValueNode();
                if (from instanceof MappingNode source) {
                    for (NodeTuple field : source.getValue()) {
                        String name = text(field.getKeyNode());
                        if (name != null && known.contains(name)) {
                            values.putIfAbsent(name, field.getValueNode());
                        }
                    }
                } else {
                    problems.add(from, "'<<' must name one mapping, was " + describe(from));
                }
            }
        }
    }

    Node where() {
        return where;
    }

    Node where(String name) {
        return values.getOrDefault(name, where);
    }

    boolean has(String name) {
        Node node = values.get(name);
        return node != null && !isNothing(node);
    }

    /** The node of a field that is there and is not nothing. */
    @Nullable
    Node node(String name) {
        return has(name) ? values.get(name) : null;
    }

    /** A field's text; empty when it is not there. Numbers and the like are text too. */
    String text(String name) {
        Node node = node(name);
        if (node == null) {
            return "";
        }
        String text = text(node);
        if (text == null) {
            problems.add(node, "'" + name + "' must be text, was " + describe(node));
            return "";
        }
        return text;
    }

    boolean flag(String name) {
        String text = text(name);
        if (!YES.contains(text) && !NO.contains(text)) {
            problems.add(where(name), "'" + name + "' must be true or false, was '" + text + "'");
        }
        return YES.contains(text);
    }

    /** A number of requests. */
    long requests(String name) {
        String text = text(name);
        if (WHOLE.matcher(text).matches() && text.length() <= 20) {
            String digits = text.replace("_", "");
            if (digits.length() <= 10 && Long.parseLong(digits) <= MOST_REQUESTS) {
                return Long.parseLong(digits);
            }
        }
        problems.add(
                where(name),
                "'" + name + "' must be a whole number from 0 to " + MOST_REQUESTS + ", was '" + text + "'");
        return 0;
    }

    /** The elements of a list; none when it is not there. */
    List<Node> list(String name) {
        Node node = node(name);
        if (node == null) {
            return List.of();
        }
        if (node instanceof SequenceNode sequence) {
            return sequence.getValue();
        }
        problems.add(node, "'" + name + "' must be a list, was " + describe(node));
        return List.of();
    }

    static boolean isNothing(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    static @Nullable String text(Node node) {
        return node instanceof ScalarNode scalar ? scalar.getValue() : null;
    }

    static String describe(Node node) {
        if (node instanceof ScalarNode scalar) {
            return isNothing(node) ? "nothing" : "'" + scalar.getValue() + "'";
        }
        return node instanceof SequenceNode ? "a list" : "a mapping";
    }
}
