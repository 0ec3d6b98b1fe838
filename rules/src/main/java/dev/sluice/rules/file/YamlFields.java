package dev.sluice.rules.file;

import dev.sluice.text.DidYouMean;
import dev.sluice.text.Quoted;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** The fields of one mapping of a YAML file, by name, each once. */
public final class YamlFields {
    private final YamlValue mapping;
    private final FileProblems problems;
    private final Map<String, Node> names = new LinkedHashMap<>();
    private final Map<String, YamlValue> values = new LinkedHashMap<>();

    YamlFields(YamlValue mapping, MappingNode node, FileProblems problems) {
        this.mapping = mapping;
        this.problems = problems;
        String path = mapping.path();
        for (NodeTuple tuple : node.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode scalar)) {
                named(tuple.getKeyNode(), path).unexpected("a name");
                continue;
            }
            String name = scalar.getValue();
            Node before = names.putIfAbsent(name, scalar);
            if (before == null) {
                String at = path.isEmpty() ? name : path + "." + name;
                values.put(name, new YamlValue(tuple.getValueNode(), at, problems));
            } else {
                int line = named(before, path).line();
                named(scalar, path).problem("'" + name + "' is there twice, first in line " + line);
            }
        }
    }

    void checkNames(Collection<String> known) {
        names.forEach((name, key) -> {
            if (!known.contains(name)) {
                named(key, mapping.path())
                        .problem("unknown field " + Quoted.quoted(name) + DidYouMean.ending(name, known)
                                + " Known here: "
                                + String.join(", ", known.stream().sorted().toList()));
            }
        });
    }

    /** The mapping itself. */
    public YamlValue mapping() {
        return mapping;
    }

    /** All fields, in the order of the file. */
    public Map<String, YamlValue> all() {
        return values;
    }

    /** The name of a field, at its place in the file. */
    public YamlValue name(String name) {
        Node key = names.get(name);
        YamlValue value = values.get(name);
        if (key == null || value == null) {
            throw new IllegalArgumentException("there is no field " + Quoted.quoted(name));
        }
        return named(key, value.path());
    }

    private YamlValue named(Node key, String path) {
        return new YamlValue(key, path, problems);
    }

    /** The value of a field; null if there is none of that name. */
    public @Nullable YamlValue get(String name) {
        return values.get(name);
    }

    /** The value of a field; null, and a problem, if there is none of that name. */
    public @Nullable YamlValue required(String name, String expected) {
        YamlValue value = get(name);
        if (value == null) {
            mapping.problem("'" + name + "' is missing; expected " + expected);
        }
        return value;
    }
}
