package dev.sluice.rules.file;

import dev.sluice.rules.Quoted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The fields of one mapping of a document, by name, each once. */
final class Fields {
    /** One field: where its name stands, and its value. */
    record Field(ScalarNode name, Node value) {}

    final Node node;
    final String path;
    private final Map<String, Field> fields = new LinkedHashMap<>();

    private Fields(Node node, String path) {
        this.node = node;
        this.path = path;
    }

    /** The fields of {@code node}, whatever they are named; null if it is no mapping. */
    static @Nullable Fields any(Node node, String path, String expected, FileProblems problems) {
        if (!(node instanceof MappingNode mapping)) {
            problems.add(node, path, "expected " + expected + ", was " + kind(node));
            return null;
        }
        Fields fields = new Fields(node, path);
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode name)) {
                problems.add(tuple.getKeyNode(), path, "expected a name, was " + kind(tuple.getKeyNode()));
                continue;
            }
            Field before = fields.fields.putIfAbsent(name.getValue(), new Field(name, tuple.getValueNode()));
            if (before != null) {
                problems.add(
                        name, path, "'" + name.getValue() + "' is there twice, first in line " + line(before.name));
            }
        }
        return fields;
    }

    /** The same where only some names are known. */
    static @Nullable Fields known(Node node, String path, String expected, Set<String> known, FileProblems problems) {
        Fields fields = any(node, path, expected, problems);
        if (fields != null) {
            fields.fields.forEach((name, field) -> {
                if (!known.contains(name)) {
                    problems.add(
                            field.name,
                            path,
                            "unknown field " + Quoted.quoted(name) + DidYouMean.ending(name, known) + " Known here: "
                                    + String.join(", ", known.stream().sorted().toList()));
                }
            });
        }
        return fields;
    }

    @Nullable
    Node get(String name) {
        Field field = fields.get(name);
        return field == null ? null : field.value;
    }

    /** The value of a field that must be there. */
    @Nullable
    Node required(String name, String expected, FileProblems problems) {
        Node value = get(name);
        if (value == null) {
            problems.add(node, path, "'" + name + "' is missing; expected " + expected);
        }
        return value;
    }

    Map<String, Field> all() {
        return fields;
    }

    String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    // ---- What any value can be asked

    /** The text of a scalar; null, and a problem, if it is none. */
    static @Nullable String text(Node node, String path, String expected, FileProblems problems) {
        if (node instanceof ScalarNode scalar && !scalar.getTag().equals(Tag.NULL)) {
            return scalar.getValue();
        }
        problems.add(node, path, "expected " + expected + ", was " + kind(node));
        return null;
    }

    /** The elements of a list; of anything else, itself. */
    static List<Node> listOrOne(Node node) {
        return node instanceof SequenceNode list ? list.getValue() : List.of(node);
    }

    /** Where element {@code index} of what {@link #listOrOne} gave is. */
    static String place(Node node, String path, int index) {
        return node instanceof SequenceNode ? path + "[" + index + "]" : path;
    }

    /** The elements of a list; none, and a problem, if it is none. */
    static List<Node> list(Node node, String path, String expected, FileProblems problems) {
        if (node instanceof SequenceNode list) {
            return list.getValue();
        }
        problems.add(node, path, "expected " + expected + ", was " + kind(node));
        return new ArrayList<>();
    }

    static String kind(Node node) {
        if (node instanceof MappingNode) {
            return "a mapping";
        }
        if (node instanceof SequenceNode) {
            return "a list";
        }
        String value = ((ScalarNode) node).getValue();
        return node.getTag().equals(Tag.NULL) && value.isEmpty() ? "nothing" : Quoted.quoted(value);
    }

    static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }
}
