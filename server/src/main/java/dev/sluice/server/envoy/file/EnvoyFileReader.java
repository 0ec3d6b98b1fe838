package dev.sluice.server.envoy.file;

import com.google.protobuf.Struct;
import dev.sluice.rules.file.FileProblems;
import dev.sluice.rules.file.YamlDocument;
import dev.sluice.rules.file.YamlFields;
import dev.sluice.rules.file.YamlValue;
import dev.sluice.server.envoy.file.DescriptorNode.Level;
import dev.sluice.server.envoy.file.DescriptorNode.Wildcard;
import dev.sluice.text.DidYouMean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one file in the format of envoyproxy/ratelimit. */
final class EnvoyFileReader {
    private static final List<String> FILE = List.of("domain", "descriptors");
    private static final List<String> DESCRIPTOR = List.of(
            "key",
            "value",
            "rate_limit",
            "descriptors",
            "shadow_mode",
            "quota_mode",
            "detailed_metric",
            "value_to_metric",
            "share_threshold",
            "metadata");
    private static final List<String> RATE_LIMIT =
            List.of("unit", "requests_per_unit", "unlimited", "name", "replaces");
    private static final List<String> REPLACED = List.of("name");
    private static final int MAX_DEPTH = 100;

    private final String file;
    private final FileProblems problems;

    EnvoyFileReader(String file, FileProblems problems) {
        this.file = file;
        this.problems = problems;
    }

    /** The domain of a file, where its name stands, and its descriptors. */
    record Domain(String name, YamlValue where, Level level) {}

    /** The domain of a file, or null if the file has none; then the problems say why. */
    @Nullable
    Domain read(String text) {
        YamlValue root = YamlDocument.read(text, "a mapping with a domain and descriptors", MAX_DEPTH, problems);
        if (root == null) {
            return null;
        }
        Mapping fields = Mapping.of(root, "the file", FILE);
        String name = fields.text("domain");
        if (root.isMapping() && name.isEmpty()) {
            fields.where("domain")
                    .problem(fields.has("domain") ? "must not be empty" : "'domain' is missing: the name in requests");
        }
        Level level = level(fields.list("descriptors"), new Path(name, "", "envoy/" + escape(name)));
        return root.isMapping() ? new Domain(name, fields.where("domain"), level) : null;
    }

    /** Where a value stands, as {@code file:line:column}. */
    String place(YamlValue value) {
        return file + ":" + value.line() + ":" + value.column();
    }

    /** The path to a descriptor: for people, and as a unique identity. */
    private record Path(String domain, String descriptor, String identity) {
        Path to(String key, String value) {
            return new Path(
                    domain,
                    (descriptor.isEmpty() ? "" : descriptor + ".") + (value.isEmpty() ? key : key + "_" + value),
                    identity + "/" + escape(key) + (value.isEmpty() ? "" : "=" + escape(value)));
        }

        LimitPath limit() {
            return new LimitPath(domain, descriptor);
        }
    }

    private Level level(List<YamlValue> values, Path path) {
        List<DescriptorNode> nodes = new ArrayList<>();
        Map<String, YamlValue> seen = new HashMap<>();
        for (YamlValue value : values) {
            DescriptorNode node = descriptor(Mapping.of(value, "a descriptor", DESCRIPTOR), path);
            if (node == null) {
                continue;
            }
            Path here = path.to(node.key(), node.value());
            YamlValue first = seen.putIfAbsent(here.identity(), value);
            if (first == null) {
                nodes.add(node);
            } else {
                value.problem("the descriptor " + here.limit().name() + " is there twice, first at " + place(first));
            }
        }
        return nodes.isEmpty() ? Level.EMPTY : Level.of(nodes);
    }

    private @Nullable DescriptorNode descriptor(Mapping fields, Path path) {
        String key = fields.text("key");
        String value = fields.text("value");
        if (key.isEmpty()) {
            fields.where("key").problem(fields.has("key") ? "must be text that is not empty" : "'key' is missing");
            return null;
        }
        if (Wildcard.is(key)) {
            fields.where("key").problem("must be exact, was '" + key + "'; a '*' can be in 'value'");
        }
        boolean shared = fields.flag("share_threshold");
        if (shared && !Wildcard.is(value)) {
            fields.where("share_threshold").problem("is for a 'value' with a '*', was '" + value + "'");
        }
        Path here = path.to(key, value);
        return new DescriptorNode(
                key,
                value,
                Wildcard.is(value) ? Wildcard.of(value) : null,
                shared,
                fields.flag("value_to_metric"),
                limit(fields, here),
                level(fields.list("descriptors"), here));
    }

    private @Nullable DescriptorLimit limit(Mapping descriptor, Path path) {
        DescriptorLimit.Mode mode = mode(descriptor);
        boolean detailed = descriptor.flag("detailed_metric");
        YamlValue metadata = descriptor.get("metadata");
        Struct struct = metadata == null ? Struct.getDefaultInstance() : MetadataReader.struct(metadata);
        YamlValue value = descriptor.get("rate_limit");
        if (value == null) {
            return null;
        }
        Mapping fields = Mapping.of(value, "rate_limit", RATE_LIMIT);
        boolean unlimited = fields.flag("unlimited");
        EnvoyUnit unit = unit(fields, unlimited);
        if (!unlimited && !fields.has("requests_per_unit")) {
            value.problem("'requests_per_unit' is missing");
        }
        long requests = fields.requests("requests_per_unit");
        String name = fields.text("name");
        return new DescriptorLimit(
                path.limit(),
                path.identity() + (unit == null ? "" : "/" + unit),
                unit,
                requests,
                name,
                replaces(fields, name),
                mode,
                detailed,
                DescriptorLimit.message(name, requests, unit),
                struct);
    }

    private static DescriptorLimit.Mode mode(Mapping descriptor) {
        boolean shadow = descriptor.flag("shadow_mode");
        boolean quota = descriptor.flag("quota_mode");
        if (shadow && quota) {
            descriptor
                    .where("quota_mode")
                    .problem("excludes 'shadow_mode': one denies together with others, the other never");
        }
        return shadow ? DescriptorLimit.Mode.SHADOW : quota ? DescriptorLimit.Mode.ALL : DescriptorLimit.Mode.ENFORCED;
    }

    private static @Nullable EnvoyUnit unit(Mapping fields, boolean unlimited) {
        String text = fields.text("unit");
        EnvoyUnit unit = EnvoyUnit.named(text);
        if (unlimited && unit != null) {
            fields.where("unit").problem("an unlimited rate_limit has none, was '" + text + "'");
        } else if (!unlimited && !fields.has("unit")) {
            fields.whole.problem("'unit' is missing; expected one of " + EnvoyUnit.names());
        } else if (!unlimited && unit == null) {
            fields.where("unit").unexpected("one of " + EnvoyUnit.names());
        }
        return unlimited ? null : unit;
    }

    private static Set<String> replaces(Mapping fields, String own) {
        Set<String> names = new LinkedHashSet<>();
        for (YamlValue value : fields.list("replaces")) {
            String name = Mapping.of(value, "an entry of replaces", REPLACED).text("name");
            if (name.isEmpty()) {
                value.problem("'name' is missing: that of another rate_limit");
            } else if (name.equals(own)) {
                value.problem("a rate_limit cannot replace itself, and this one is named '" + name + "' too");
            }
            names.add(name);
        }
        return Set.copyOf(names);
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("/", "\\/").replace("=", "\\=");
    }

    /**
     * The fields of one mapping, with those that {@code <<} merges into it. A field of the wrong type is a problem, and
     * reads as if it were not there.
     */
    private record Mapping(YamlValue whole, Map<String, YamlValue> fields) {
        private static final String MERGE = "<<";
        private static final Set<String> YES = Set.of("true", "yes", "on", "y");
        private static final Set<String> NO = Set.of("false", "no", "off", "n", "");
        private static final long MAX_REQUESTS = 0xFFFF_FFFFL;

        static Mapping of(YamlValue value, String what, List<String> known) {
            Map<String, YamlValue> values = new LinkedHashMap<>();
            YamlFields own = value.fields("a mapping with the fields " + String.join(", ", known));
            if (own != null) {
                own.all().forEach((name, field) -> {
                    if (known.contains(name)) {
                        values.put(name, field);
                    } else if (!name.equals(MERGE)) {
                        own.name(name).problem(misplaced(name, what, known));
                    }
                });
                YamlValue merged = own.get(MERGE);
                YamlFields more = merged == null ? null : merged.fields("one mapping");
                if (more != null) {
                    known.forEach(name -> {
                        YamlValue field = more.get(name);
                        if (field != null) {
                            values.putIfAbsent(name, field);
                        }
                    });
                }
            }
            return new Mapping(value, values);
        }

        private static String misplaced(String name, String what, List<String> known) {
            String home = RATE_LIMIT.contains(name)
                    ? "rate_limit"
                    : DESCRIPTOR.contains(name) ? "a descriptor" : FILE.contains(name) ? "the file itself" : null;
            return home == null
                    ? "unknown field in " + what + DidYouMean.ending(name, known) + " Known here: "
                            + String.join(", ", known)
                    : "has no effect in " + what + "; it belongs in " + home;
        }

        /** The value of a field that is there and is not null. */
        @Nullable
        YamlValue get(String name) {
            YamlValue value = fields.get(name);
            return value == null || value.isNull() ? null : value;
        }

        boolean has(String name) {
            return get(name) != null;
        }

        YamlValue where(String name) {
            return fields.getOrDefault(name, whole);
        }

        /** A field's text; empty if it is not there. Numbers are text too. */
        String text(String name) {
            YamlValue value = get(name);
            return value == null ? "" : Objects.requireNonNullElse(value.text("text"), "");
        }

        boolean flag(String name) {
            String text = text(name);
            if (!YES.contains(text) && !NO.contains(text)) {
                where(name).unexpected("true or false");
            }
            return YES.contains(text);
        }

        /** A number of requests. One that begins with 0 is refused, since others read it as octal. */
        long requests(String name) {
            YamlValue value = get(name);
            String expected = "a whole number from 0 to " + MAX_REQUESTS;
            if (value == null) {
                return 0;
            }
            if (text(name).matches("0.+")) {
                value.unexpected(expected);
                return 0;
            }
            return Objects.requireNonNullElse(value.number(expected, 0, MAX_REQUESTS), 0L);
        }

        List<YamlValue> list(String name) {
            YamlValue value = get(name);
            return value == null ? List.of() : value.list("a list");
        }
    }
}
