package dev.sluice.spring;

import dev.sluice.text.DidYouMean;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The names below {@code sluice.}: the components of {@link SluiceProperties}, the rules and what belongs to them, and
 * names that other classes bind.
 */
final class PropertyNames {
    static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("sluice");

    /** What may stand below a name: the names in {@code below}, or anything. A value may have indexes. */
    private record Node(Map<String, Node> below, boolean any) {
        private static final Node VALUE = new Node(Map.of(), false);
        private static final Node ANY = new Node(Map.of(), true);
    }

    private final Map<String, Node> names = new LinkedHashMap<>();

    PropertyNames() {
        names.putAll(components(SluiceProperties.class));
        names.put("rules", Node.ANY);
        RuleSetLoader.OTHER_FIELDS.forEach(field -> names.put(field, Node.VALUE));
    }

    private static Map<String, Node> components(Class<?> record) {
        Map<String, Node> names = new LinkedHashMap<>();
        for (RecordComponent component : record.getRecordComponents()) {
            Class<?> type = component.getType();
            Node node = type.isRecord()
                    ? new Node(components(type), false)
                    : Map.class.isAssignableFrom(type) ? Node.ANY : Node.VALUE;
            names.put(kebab(component.getName()), node);
        }
        return names;
    }

    private static String kebab(String name) {
        return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    /** What is wrong with a name; null if it is known. The first element of the name is {@code sluice}. */
    @Nullable
    Unknown unknown(ConfigurationPropertyName name) {
        Map<String, Node> at = names;
        StringBuilder path = new StringBuilder(ROOT.toString());
        for (int i = 1; i < name.getNumberOfElements(); i++) {
            String element = name.getElement(i, Form.UNIFORM);
            Node next = null;
            for (Map.Entry<String, Node> known : at.entrySet()) {
                next = known.getKey().replace("-", "").equals(element) ? known.getValue() : next;
            }
            if (next == null) {
                return new Unknown(
                        path + "." + name.getElement(i, Form.ORIGINAL), path.toString(), List.copyOf(at.keySet()));
            }
            path.append('.').append(name.getElement(i, Form.DASHED));
            if (next.any) {
                return null;
            }
            if (next.below.isEmpty()) {
                return isIndexed(name, i + 1) ? null : new Unknown(name.toString(), path.toString(), List.of());
            }
            at = next.below;
        }
        return null;
    }

    private static boolean isIndexed(ConfigurationPropertyName name, int from) {
        for (int i = from; i < name.getNumberOfElements(); i++) {
            if (!name.isNumericIndex(i)) {
                return false;
            }
        }
        return true;
    }

    /** All names that have a value, in full. */
    List<String> all() {
        List<String> all = new ArrayList<>();
        collect(ROOT.toString(), names, all);
        return all;
    }

    private static void collect(String path, Map<String, Node> names, List<String> into) {
        names.forEach((name, node) -> {
            if (node.below.isEmpty()) {
                into.add(path + "." + name);
            } else {
                collect(path + "." + name, node.below, into);
            }
        });
    }

    /**
     * A name that is not known.
     *
     * @param name the name, up to the element that is not known
     * @param parent what is known of it
     * @param known what could stand below that
     */
    record Unknown(String name, String parent, List<String> known) {
        String message() {
            if (known.isEmpty()) {
                return name + ": " + parent + " has a value, and nothing below it";
            }
            String hint = hint();
            return name + ": there is no such property"
                    + (hint.isEmpty() ? "; known are " + String.join(", ", names()) : hint);
        }

        /** {@code ; did you mean 'sluice.rules'?}, or an empty text. */
        String hint() {
            return DidYouMean.hint(name, names());
        }

        private List<String> names() {
            return known.stream().map(each -> parent + "." + each).toList();
        }
    }
}
