package dev.sluice.spring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.json.JsonWriter;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Reads nested properties as text, lists and maps. Spring flattens them to names such as {@code rules[0].key}; this builds
 * the tree again, so that rules can be written as in a rule file.
 *
 * <p>As with any list in Spring Boot, the whole tree comes from the first property source that has a part of it.
 */
final class PropertyTree {
    private static final JsonWriter<Object> JSON = JsonWriter.standard();
    /** The fields of a rule that have dashes in their names. */
    private static final List<String> DASHED_FIELDS =
            List.of("missing-key", "on-exceed", "on-store-failure", "shed-from", "ipv6-prefix");

    /**
     * The lists whose values have no commas, by the field that they are within. One property may have all values, with
     * commas between them, as for any list in Spring.
     */
    private static final Map<String, Set<String>> LISTS =
            Map.of("", Set.of("trusted-proxies"), "rules", Set.of("key", "limits"), "overrides", Set.of("limits"));

    private final Environment environment;

    PropertyTree(Environment environment) {
        this.environment = environment;
    }

    /** The text, list or map under a name; null if there is none. */
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

    /** The first property at a name or below it, in the source that {@link #read} takes it from; null if there is none. */
    @Nullable
    ConfigurationProperty first(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = first(name, source);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable ConfigurationProperty first(
            ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty own = source.getConfigurationProperty(name);
        if (own != null || !(source instanceof IterableConfigurationPropertySource all)) {
            return own;
        }
        return all.stream()
                .filter(name::isAncestorOf)
                .map(all::getConfigurationProperty)
                .flatMap(Stream::ofNullable)
                .findFirst()
                .orElse(null);
    }

    /**
     * The file and line of a property. If it is not there, of the first one below it, or beside it: a field that is missing
     * or not known has a rule around it. Null if unknown.
     */
    @Nullable
    String origin(String property) {
        try {
            ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
            ConfigurationProperty any = first(name.chop(2));
            ConfigurationPropertySource source = any == null ? null : any.getSource();
            while (source != null && name.getNumberOfElements() >= 2) {
                ConfigurationProperty found = first(name, source);
                if (found != null) {
                    return origin(found);
                }
                name = name.getParent();
            }
            return null;
        } catch (RuntimeException notAName) {
            return null;
        }
    }

    static @Nullable String origin(ConfigurationProperty property) {
        Origin origin = property.getOrigin();
        return origin == null ? null : origin.toString();
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
        List<String> elements = new ArrayList<>();
        for (int i = root.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
            elements.add(name.getElement(i, Form.ORIGINAL));
        }
        if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource) {
            elements = withDashes(elements);
        }
        Map<String, Object> at = tree;
        for (String element : elements.subList(0, elements.size() - 1)) {
            at = child(at, element);
        }
        at.put(elements.get(elements.size() - 1), text(property));
    }

    /** Variables have no dashes: {@code SLUICE_RULES_0_ON_EXCEED} and {@code SLUICE_RULES_0_ONEXCEED} are on-exceed. */
    private static List<String> withDashes(List<String> elements) {
        for (int end = elements.size(); end > 1; end--) {
            String joined = String.join("", elements.subList(1, end));
            for (String field : DASHED_FIELDS) {
                if (field.replace("-", "").equals(joined)) {
                    List<String> named = new ArrayList<>(List.of(elements.get(0), field));
                    named.addAll(elements.subList(end, elements.size()));
                    return named;
                }
            }
        }
        return elements;
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

    /** Turns maps with the names 0, 1, 2 and so on into lists, and {@code header: {x: …}} into {@code header.x: …}. */
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

    /** Writes a tree as JSON, which a rule file may be. */
    static String json(Object tree) {
        return JSON.writeToString(typed(tree, ""));
    }

    /** The parts of a text between commas; anything else as it is. */
    private static Object split(Object value) {
        return value instanceof String text && text.contains(",")
                ? Arrays.stream(text.split(",", -1)).map(String::strip).toList()
                : value;
    }

    /**
     * Turns digits into numbers, and empty text, which Spring makes of an empty list, into an empty list.
     *
     * @param within the name of the field that the tree is in; empty for none
     */
    private static Object typed(Object tree, String within) {
        if (tree instanceof List<?> list) {
            return list.stream().map(each -> typed(each, within)).toList();
        }
        if (tree instanceof Map<?, ?> map) {
            Set<String> lists = LISTS.getOrDefault(within, Set.of());
            Map<String, Object> typed = new LinkedHashMap<>();
            map.forEach((key, value) -> {
                String name = String.valueOf(key);
                typed.put(name, typed(lists.contains(name) ? split(value) : value, name));
            });
            return typed;
        }
        String text = String.valueOf(tree);
        return text.isEmpty() ? List.of() : text.matches("-?\\d{1,18}") ? Long.valueOf(text) : text;
    }
}
