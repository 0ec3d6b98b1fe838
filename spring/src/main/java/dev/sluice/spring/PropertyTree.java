package dev.sluice.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/**
 * Properties under a name as they were written: text, lists and maps. Spring has taken them apart, name by name; this
 * puts them together again, so that rules can be written as in a rule file.
 *
 * <p>As with any list, all of it comes from the first source that has some of it.
 */
final class PropertyTree {
    private final Environment environment;

    PropertyTree(Environment environment) {
        this.environment = environment;
    }

    /** The text, list or map of a name; null if there is none. */
    @Nullable
    Object read(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty own = source.getConfigurationProperty(name);
            if (own != null) {
                return text(own);
            }
            if (source instanceof IterableConfigurationPropertySource all) {
                Map<String, Object> children = new LinkedHashMap<>();
                all.stream().filter(name::isAncestorOf).forEach(each -> put(children, name, each, all));
                if (!children.isEmpty()) {
                    return listed(children);
                }
            }
        }
        return null;
    }

    /** Where a property was written; null if that is not known. */
    @Nullable
    String origin(String property) {
        try {
            ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                ConfigurationProperty found = source.getConfigurationProperty(name);
                Origin origin = found == null ? null : found.getOrigin();
                if (origin != null) {
                    return origin.toString();
                }
            }
        } catch (RuntimeException notAName) {
            return null;
        }
        return null;
    }

    private String text(ConfigurationProperty property) {
        return environment.resolveRequiredPlaceholders(String.valueOf(property.getValue()));
    }

    private void put(
            Map<String, Object> tree,
            ConfigurationPropertyName root,
            ConfigurationPropertyName name,
            IterableConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        if (property == null) {
            return;
        }
        Map<String, Object> at = tree;
        int last = name.getNumberOfElements() - 1;
        for (int i = root.getNumberOfElements(); i < last; i++) {
            at = child(at, name.getElement(i, Form.ORIGINAL));
        }
        at.put(name.getElement(last, Form.ORIGINAL), text(property));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> child(Map<String, Object> parent, String name) {
        Object child = parent.get(name);
        if (child instanceof Map<?, ?> map) {
            return (Map<String, Object>) map;
        }
        Map<String, Object> made = new LinkedHashMap<>();
        parent.put(name, made);
        return made;
    }

    /** A map whose names are 0, 1, 2 and so on was a list; {@code header: {x: …}} was {@code header.x: …}. */
    private static Object listed(Map<String, Object> map) {
        Map<String, Object> fields = new LinkedHashMap<>();
        map.forEach((name, value) -> {
            if (value instanceof Map<?, ?> nested && name.equals("header")) {
                nested.forEach((field, inner) -> fields.put(name + "." + field, inner));
            } else {
                fields.put(name, value);
            }
        });
        fields.replaceAll((name, value) -> value instanceof Map<?, ?> ? listed(child(fields, name)) : value);
        List<Object> list = new ArrayList<>();
        for (int i = 0; fields.containsKey(Integer.toString(i)); i++) {
            list.add(fields.get(Integer.toString(i)));
        }
        return list.size() == fields.size() ? list : fields;
    }

    /** Writes such a tree as JSON, which a rule file may be. Empty text was an empty list. */
    static void write(StringBuilder json, Object tree) {
        if (tree instanceof List<?> list) {
            String separator = "[";
            for (Object each : list) {
                write(json.append(separator), each);
                separator = ",\n";
            }
            json.append(list.isEmpty() ? "[]" : "]");
        } else if (tree instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> each : map.entrySet()) {
                quote(json.append(separator), String.valueOf(each.getKey()));
                write(json.append(": "), each.getValue());
                separator = ",\n";
            }
            json.append('}');
        } else {
            String text = String.valueOf(tree);
            if (text.matches("-?\\d{1,18}")) {
                json.append(text);
            } else if (text.isEmpty()) {
                json.append("[]");
            } else {
                quote(json, text);
            }
        }
    }

    /** A JSON string, in quotes. */
    static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
