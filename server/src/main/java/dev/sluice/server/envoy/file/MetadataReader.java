package dev.sluice.server.envoy.file;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.sluice.rules.file.YamlFields;
import dev.sluice.rules.file.YamlValue;

/** Reads the {@code metadata} of a descriptor, which may have any content. */
final class MetadataReader {
    private MetadataReader() {}

    static Struct struct(YamlValue value) {
        YamlFields fields = value.fields("a mapping");
        Struct.Builder struct = Struct.newBuilder();
        if (fields != null) {
            fields.all().forEach((name, field) -> struct.putFields(name, value(field)));
        }
        return struct.build();
    }

    private static Value value(YamlValue value) {
        Value.Builder message = Value.newBuilder();
        if (value.isMapping()) {
            return message.setStructValue(struct(value)).build();
        }
        if (value.isList()) {
            ListValue.Builder list = ListValue.newBuilder();
            value.listOrOne().forEach(element -> list.addValues(value(element)));
            return message.setListValue(list).build();
        }
        if (value.isNull()) {
            return message.setNullValue(NullValue.NULL_VALUE).build();
        }
        return scalar(value, String.valueOf(value.text("a value")));
    }

    private static Value scalar(YamlValue value, String text) {
        Value.Builder message = Value.newBuilder();
        if (value.isBoolean()) {
            return message.setBoolValue(Boolean.parseBoolean(text)).build();
        }
        if (value.isNumber()) {
            try {
                return message.setNumberValue(Double.parseDouble(text)).build();
            } catch (NumberFormatException e) {
                value.problem("not a number that 'metadata' can have: '" + text + "'; put it in quotes");
            }
        }
        return message.setStringValue(text).build();
    }
}
