package dev.sluice.server.envoy;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads the {@code metadata} of a descriptor, which may have any content. */
final class MetadataReader {
    private static final int MAX_VALUES = 10_000;
    private static final int MAX_DEPTH = 50;

    private final Problems problems;
    private int values;

    MetadataReader(Problems problems) {
        this.problems = problems;
    }

    Struct struct(Node node) {
        if (!(node instanceof MappingNode)) {
            problems.add(node, "'metadata' must be a mapping, was " + Fields.describe(node));
            return Struct.getDefaultInstance();
        }
        return value(node, 1).getStructValue();
    }

    private Value value(Node node, int depth) {
        if (++values > MAX_VALUES || depth > MAX_DEPTH) {
            if (values <= MAX_VALUES + 1) {
                problems.add(
                        node, "'metadata' is too large: at most " + MAX_VALUES + " values, " + MAX_DEPTH + " deep");
                values = MAX_VALUES + 1;
            }
            return Value.getDefaultInstance();
        }
        Value.Builder value = Value.newBuilder();
        if (node instanceof MappingNode mapping) {
            Struct.Builder struct = Struct.newBuilder();
            for (NodeTuple field : mapping.getValue()) {
                String name = Fields.text(field.getKeyNode());
                if (name == null) {
                    problems.add(field.getKeyNode(), "a name in 'metadata' must be text");
                } else {
                    struct.putFields(name, value(field.getValueNode(), depth + 1));
                }
            }
            return value.setStructValue(struct).build();
        }
        if (node instanceof SequenceNode sequence) {
            ListValue.Builder list = ListValue.newBuilder();
            sequence.getValue().forEach(element -> list.addValues(value(element, depth + 1)));
            return value.setListValue(list).build();
        }
        return scalar((ScalarNode) node);
    }

    private Value scalar(ScalarNode node) {
        Value.Builder value = Value.newBuilder();
        String text = node.getValue();
        Tag tag = node.getTag();
        if (tag.equals(Tag.NULL)) {
            return value.setNullValue(NullValue.NULL_VALUE).build();
        }
        if (tag.equals(Tag.BOOL)) {
            return value.setBoolValue(Boolean.parseBoolean(text)).build();
        }
        if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
            try {
                return value.setNumberValue(Double.parseDouble(text)).build();
            } catch (NumberFormatException e) {
                problems.add(node, "not a number that 'metadata' can have: '" + text + "'; put it in quotes");
            }
        }
        return value.setStringValue(text).build();
    }
}
