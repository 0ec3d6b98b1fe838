package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import dev.sluice.server.envoy.DescriptorNode.Level;
import dev.sluice.server.envoy.DescriptorNode.Wildcard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads one file in the format of envoyproxy/ratelimit. */
final class EnvoyFileReader {
    private static final List<String> ROOT = List.of("domain", "descriptors");
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
    private static final int MAX_DEPTH = 50;
    private static final int MAX_DESCRIPTORS = 200_000;
    private static final int MAX_BYTES = 64 << 20;

    private final Problems problems;
    private int descriptors;

    EnvoyFileReader(Problems problems) {
        this.problems = problems;
    }

    /** The domain of a file, and its descriptors. */
    record Domain(String name, Node where, Level level) {}

    /** Where a field belongs, or null if no mapping has it. */
    static @Nullable String home(String field) {
        if (RATE_LIMIT.contains(field)) {
            return "rate_limit";
        }
        return DESCRIPTOR.contains(field) ? "a descriptor" : ROOT.contains(field) ? "the file itself" : null;
    }

    /** The domain of a file, or null if the file is not valid: then the problems say why. */
    @Nullable
    Domain read(String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(problems.file())
                .setCodePointLimit(MAX_BYTES)
                .setMaxAliasesForCollections(MAX_DESCRIPTORS)
                .setAllowNonScalarKeys(true)
                .build();
        try {
            Node root = new Compose(settings).composeString(text).orElse(null);
            if (root == null || Fields.isNothing(root)) {
                problems.add(problems.file() + ": the file is empty; it must have a domain and descriptors");
                return null;
            }
            return domain(root);
        } catch (MarkedYamlEngineException e) {
            String what = ": not YAML: " + (blank(e.getContext()) ? "" : e.getContext() + ", ") + e.getProblem();
            problems.add(e.getProblemMark()
                            .map(mark -> problems.file() + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1))
                            .orElse(problems.file())
                    + what);
        } catch (YamlEngineException e) {
            problems.add(problems.file() + ": not YAML: " + e.getMessage());
        }
        return null;
    }

    private @Nullable Domain domain(Node root) {
        Fields fields = Fields.of(root, "the file", ROOT, problems);
        if (!(root instanceof MappingNode)) {
            return null;
        }
        String name = fields.text("domain");
        if (name.isEmpty() && fields.node("domain") == null) {
            problems.add(root, "'domain' is missing: the name that requests ask for");
        } else if (name.isEmpty()) {
            problems.add(fields.where("domain"), "'domain' must not be empty");
        }
        Level level = level(fields.list("descriptors"), new Path(name, "envoy/" + escape(name), 1));
        return new Domain(name, fields.where("domain"), level);
    }

    /** The path to a descriptor: for messages, as a unique identity, and its depth. */
    private record Path(String shown, String identity, int depth) {
        Path to(String key, String value) {
            return new Path(
                    shown + "." + (value.isEmpty() ? key : key + "_" + value),
                    identity + "/" + escape(key) + (value.isEmpty() ? "" : "=" + escape(value)),
                    depth + 1);
        }
    }

    private Level level(List<Node> nodes, Path path) {
        List<DescriptorNode> level = new ArrayList<>();
        Map<String, Node> seen = new HashMap<>();
        for (Node node : nodes) {
            if (++descriptors > MAX_DESCRIPTORS) {
                problems.add(node, "more than " + MAX_DESCRIPTORS + " descriptors in one file; are aliases nested?");
                return Level.EMPTY;
            }
            DescriptorNode descriptor = descriptor(node, path);
            if (descriptor == null) {
                continue;
            }
            Path here = path.to(descriptor.key(), descriptor.value());
            Node first = seen.putIfAbsent(here.identity(), node);
            if (first != null) {
                problems.add(
                        node, "the descriptor " + here.shown() + " is there twice, first at " + problems.at(first));
            } else {
                level.add(descriptor);
            }
        }
        return Level.of(level);
    }

    private @Nullable DescriptorNode descriptor(Node node, Path path) {
        Fields fields = Fields.of(node, "a descriptor", DESCRIPTOR, problems);
        String key = fields.text("key");
        String value = fields.text("value");
        if (key.isEmpty()) {
            problems.add(fields.where("key"), "a descriptor must have a 'key' that is not empty");
            return null;
        }
        if (Wildcard.is(key)) {
            problems.add(fields.where("key"), "'key' must be exact, was '" + key + "'; a '*' can be in 'value'");
        }
        boolean shared = fields.flag("share_threshold");
        if (shared && !Wildcard.is(value)) {
            problems.add(
                    fields.where("share_threshold"),
                    "'share_threshold' is for a 'value' with a '*', was '" + value + "'");
        }
        Path here = path.to(key, value);
        List<Node> nested = fields.list("descriptors");
        if (!nested.isEmpty() && here.depth() > MAX_DEPTH) {
            problems.add(node, "descriptors are nested more than " + MAX_DEPTH + " deep; does an alias name itself?");
            nested = List.of();
        }
        return new DescriptorNode(
                key,
                value,
                Wildcard.is(value) ? Wildcard.of(value) : null,
                shared,
                fields.flag("value_to_metric"),
                limit(fields, here),
                nested.isEmpty() ? Level.EMPTY : level(nested, here));
    }

    private @Nullable DescriptorLimit limit(Fields descriptor, Path path) {
        DescriptorLimit.Mode mode = mode(descriptor);
        boolean detailed = descriptor.flag("detailed_metric");
        Node metadata = descriptor.node("metadata");
        Struct metadataStruct =
                metadata == null ? Struct.getDefaultInstance() : new MetadataReader(problems).struct(metadata);
        Node node = descriptor.node("rate_limit");
        if (node == null) {
            return null;
        }
        Fields fields = Fields.of(node, "rate_limit", RATE_LIMIT, problems);
        boolean unlimited = fields.flag("unlimited");
        EnvoyUnit unit = unit(fields, unlimited);
        if (!unlimited && !fields.has("requests_per_unit")) {
            problems.add(node, "'requests_per_unit' is missing");
        }
        long requests = fields.has("requests_per_unit") ? fields.requests("requests_per_unit") : 0;
        String name = fields.text("name");
        String identity = path.identity() + (unit == null ? "" : "/" + unit);
        return new DescriptorLimit(
                identity,
                unit,
                requests,
                name,
                replaces(fields, name),
                mode,
                detailed,
                DescriptorLimit.message(name, requests, unit),
                metadataStruct);
    }

    private DescriptorLimit.Mode mode(Fields descriptor) {
        boolean shadow = descriptor.flag("shadow_mode");
        boolean quota = descriptor.flag("quota_mode");
        if (shadow && quota) {
            problems.add(
                    descriptor.where("quota_mode"),
                    "'quota_mode' and 'shadow_mode' exclude each other: one denies together with others, the other never");
        }
        return shadow ? DescriptorLimit.Mode.SHADOW : quota ? DescriptorLimit.Mode.ALL : DescriptorLimit.Mode.ENFORCED;
    }

    private @Nullable EnvoyUnit unit(Fields fields, boolean unlimited) {
        String text = fields.text("unit");
        EnvoyUnit unit = EnvoyUnit.named(text);
        if (unlimited && unit != null) {
            problems.add(fields.where("unit"), "an unlimited rate_limit has no 'unit', was '" + text + "'");
        } else if (!unlimited && !fields.has("unit")) {
            problems.add(fields.where(), "'unit' is missing; it must be one of " + EnvoyUnit.names());
        } else if (!unlimited && unit == null) {
            problems.add(fields.where("unit"), "'unit' must be one of " + EnvoyUnit.names() + ", was '" + text + "'");
        }
        return unlimited ? null : unit;
    }

    private Set<String> replaces(Fields fields, String own) {
        Set<String> names = new LinkedHashSet<>();
        for (Node node : fields.list("replaces")) {
            String name =
                    Fields.of(node, "an entry of replaces", REPLACED, problems).text("name");
            if (name.isEmpty()) {
                problems.add(node, "an entry of 'replaces' must have the 'name' of a rate_limit");
            } else if (name.equals(own)) {
                problems.add(node, "a rate_limit cannot replace itself, and this one is named '" + name + "' too");
            }
            names.add(name);
        }
        return Set.copyOf(names);
    }

    private static boolean blank(@Nullable String text) {
        return text == null || text.isEmpty();
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("/", "\\/").replace("=", "\\=");
    }
}
