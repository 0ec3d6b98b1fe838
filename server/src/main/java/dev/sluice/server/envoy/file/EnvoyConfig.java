package dev.sluice.server.envoy.file;

import dev.sluice.Durations;
import dev.sluice.rules.RegularFile;
import dev.sluice.rules.file.FileProblems;
import dev.sluice.rules.file.RuleFile;
import dev.sluice.server.envoy.file.DescriptorNode.Level;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Limits in the format of envoyproxy/ratelimit, one domain in each file. */
public final class EnvoyConfig {
    private final Map<String, Level> domains;

    private EnvoyConfig(Map<String, Level> domains) {
        this.domains = Map.copyOf(domains);
    }

    /**
     * The files of a folder.
     *
     * @param byFile the texts by the names of their files
     * @param problems why some of them could not be read
     */
    public record Texts(SortedMap<String, String> byFile, List<String> problems) {}

    /**
     * Reads every {@code *.yaml} of a directory.
     *
     * @throws EnvoyConfigException if any of them cannot be used, or there is none
     */
    public static EnvoyConfig read(Path directory) throws EnvoyConfigException {
        return parse(texts(directory));
    }

    /** The texts of every {@code *.yaml} of a directory. */
    public static Texts texts(Path directory) {
        SortedMap<String, String> texts = new TreeMap<>();
        List<String> problems = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                String name = String.valueOf(entry.getFileName());
                if (name.endsWith(".yml")) {
                    problems.add(entry + ": only files named *.yaml are read; rename it, or move it away");
                } else if (name.endsWith(".yaml") && !name.startsWith(".")) {
                    texts.put(entry.toString(), text(entry, problems));
                }
            }
            if (texts.isEmpty() && problems.isEmpty()) {
                problems.add(directory + ": has no *.yaml file");
            }
        } catch (IOException | DirectoryIteratorException e) {
            problems.add(directory + ": cannot be read as a directory of *.yaml files: " + e.getMessage());
        }
        return new Texts(texts, problems);
    }

    /**
     * Reads texts by the names of their files.
     *
     * @throws EnvoyConfigException if any of them cannot be used
     */
    public static EnvoyConfig parse(Map<String, String> files) throws EnvoyConfigException {
        return parse(files, new ArrayList<>());
    }

    /**
     * Reads these texts.
     *
     * @throws EnvoyConfigException if any of them cannot be used
     */
    public static EnvoyConfig parse(Texts texts) throws EnvoyConfigException {
        return parse(texts.byFile, new ArrayList<>(texts.problems));
    }

    private static EnvoyConfig parse(Map<String, String> files, List<String> found) throws EnvoyConfigException {
        Map<String, Level> domains = new HashMap<>();
        Map<String, String> places = new HashMap<>();
        files.forEach((file, text) -> {
            FileProblems problems = new FileProblems(file);
            EnvoyFileReader reader = new EnvoyFileReader(file, problems);
            EnvoyFileReader.Domain domain = reader.read(text);
            if (domain != null) {
                String first = places.putIfAbsent(domain.name(), reader.place(domain.where()));
                if (first != null) {
                    domain.where().problem("the domain '" + domain.name() + "' is already that of " + first);
                }
                domains.put(domain.name(), domain.level());
            }
            problems.list().forEach(problem -> found.add(problem.toString()));
        });
        if (!found.isEmpty()) {
            throw new EnvoyConfigException(found);
        }
        return new EnvoyConfig(domains);
    }

    /** Reads no more than a file may have, and no pipe or device, which might never end. */
    private static String text(Path file, List<String> problems) {
        try {
            byte[] bytes = RegularFile.read(file, RuleFile.MAX_BYTES);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            problems.add(file + ": not UTF-8 text");
        } catch (IOException e) {
            problems.add(file + ": cannot be read: " + e.getMessage());
        }
        return "domain: unreadable";
    }

    /** The domains that have limits. */
    public Set<String> domains() {
        return domains.keySet();
    }

    /** All limits. */
    public List<LimitPath> limits() {
        List<LimitPath> limits = new ArrayList<>();
        domains.values().forEach(level -> level.limits(limit -> limits.add(limit.path())));
        return limits;
    }

    /**
     * A limit as people read it.
     *
     * @param name the domain and the descriptor
     * @param limit as in {@code 5 per 1d}; empty if it is unlimited
     * @param isShadow whether nothing happens over the limit
     */
    public record Described(String name, Optional<String> limit, boolean isShadow) {}

    /** All limits, by their names. */
    public List<Described> described() {
        List<Described> all = new ArrayList<>();
        domains.values().forEach(level -> level.limits(limit -> all.add(described(limit))));
        all.sort(Comparator.comparing(Described::name));
        return all;
    }

    private static Described described(DescriptorLimit limit) {
        Optional<String> text = Optional.ofNullable(limit.unit())
                .map(unit -> limit.requestsPerUnit() + " per " + Durations.text(unit.period()));
        return new Described(limit.path().name(), text, limit.mode() == DescriptorLimit.Mode.SHADOW);
    }

    /** The limit that applies to a descriptor, if any: one as many levels deep as the descriptor has entries. */
    public @Nullable MatchedLimit find(String domain, RateLimitDescriptor descriptor) {
        Level level = domains.get(domain);
        if (level == null) {
            return null;
        }
        List<DescriptorNode> path = new ArrayList<>(descriptor.getEntriesCount());
        for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
            DescriptorNode node = level.find(entry.getKey(), entry.getValue());
            if (node == null) {
                return null;
            }
            path.add(node);
            level = node.below();
        }
        DescriptorLimit limit =
                path.isEmpty() ? null : path.get(path.size() - 1).limit();
        return limit == null ? null : new MatchedLimit(limit, path, descriptor);
    }
}
