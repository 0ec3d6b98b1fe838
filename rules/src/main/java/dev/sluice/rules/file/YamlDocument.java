package dev.sluice.rules.file;

import dev.sluice.text.Quoted;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Reads a YAML file into values that know their place.
 *
 * <p>A first pass over the events bounds the depth, and the size with all aliases written out. The nodes that are composed
 * after it can be walked as a tree.
 */
public final class YamlDocument {
    /** With the usual 1,024 the reader copies a line of four million characters four thousand times. */
    private static final int BUFFER_LENGTH = 1 << 16;

    /** The largest number of characters of one file. */
    public static final int MAX_LENGTH = 4 << 20;

    private static final int MAX_NODES = 4_000_000;
    private static final Set<String> TAGS = Set.of("str", "int", "float", "bool", "null", "map", "seq");
    private static final String TAG_PREFIX = "tag:yaml.org,2002:";

    private final FileProblems problems;
    private final String text;
    private final int maxDepth;

    /** A list or mapping that is not closed yet: its anchor, the nodes before it, and how deep it is nested so far. */
    private static final class Open {
        private final Optional<Anchor> anchor;
        private final long before;
        private int height = 1;

        Open(Optional<Anchor> anchor, long before) {
            this.anchor = anchor;
            this.before = before;
        }
    }

    /** What an alias stands for: how many nodes, and how deep they are nested. */
    private record Extent(long nodes, int height) {}

    private final Deque<Open> open = new ArrayDeque<>();
    private final Map<Anchor, Extent> extents = new HashMap<>();
    private long nodes;
    private int documents;

    private YamlDocument(String text, int maxDepth, FileProblems problems) {
        this.text = text;
        this.maxDepth = maxDepth;
        this.problems = problems;
    }

    /**
     * Reads the only document of a file.
     *
     * @param expected what the document should be, for the message about an empty file
     * @param maxDepth how deep lists and mappings may be nested
     * @return its root; null, and a problem, if it cannot be read
     */
    public static @Nullable YamlValue read(String text, String expected, int maxDepth, FileProblems problems) {
        if (text.length() > MAX_LENGTH) {
            problems.add("too large: " + text.length() + " characters, at most " + MAX_LENGTH);
            return null;
        }
        return new YamlDocument(text, maxDepth, problems).root(expected);
    }

    private @Nullable YamlValue root(String expected) {
        LoadSettings settings = LoadSettings.builder()
                .setCodePointLimit(MAX_LENGTH)
                .setBufferSize(BUFFER_LENGTH)
                .setMaxAliasesForCollections(Integer.MAX_VALUE)
                .setAllowDuplicateKeys(true)
                .setAllowNonScalarKeys(true)
                .build();
        try {
            for (Parser parser = parser(settings); parser.hasNext(); ) {
                if (!accept(parser.next())) {
                    return null;
                }
            }
            Optional<Node> root = new Composer(settings, parser(settings)).getSingleNode();
            if (root.isEmpty()) {
                problems.add(1, 1, "", "", "the file is empty; expected " + expected);
            }
            return root.map(node -> new YamlValue(node, "", problems)).orElse(null);
        } catch (MarkedYamlEngineException e) {
            Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
            String context = e.getContext() == null || e.getContext().isEmpty() ? "" : e.getContext() + ", ";
            refuse(mark, "not readable as YAML: " + context + e.getProblem());
        } catch (ReaderException e) {
            refuseAt(
                    e.getPosition(),
                    "not readable as YAML: a character that is not allowed, U+"
                            + String.format("%04X", e.getCodePoint()));
        } catch (YamlEngineException e) {
            refuse(Optional.empty(), "not readable as YAML: " + e.getMessage());
        }
        return null;
    }

    private Parser parser(LoadSettings settings) {
        return new ParserImpl(settings, new StreamReader(settings, text));
    }

    private boolean accept(Event event) {
        if (event instanceof DocumentStartEvent && ++documents > 1) {
            return refuse(event.getStartMark(), "a second document; expected one");
        }
        if (event instanceof CollectionEndEvent) {
            Open closed = open.pop();
            closed.anchor.ifPresent(anchor -> extents.put(anchor, new Extent(nodes - closed.before, closed.height)));
            contains(closed.height);
        }
        if (!(event instanceof NodeEvent node)) {
            return true;
        }
        nodes++;
        if (node instanceof AliasEvent) {
            return acceptAlias(node);
        }
        if (node instanceof CollectionStartEvent start) {
            open.push(new Open(node.getAnchor(), nodes - 1));
            start.getAnchor().ifPresent(extents::remove);
            return acceptDepth(open.size(), event) && acceptTag(start.getTag(), event);
        }
        node.getAnchor().ifPresent(anchor -> extents.put(anchor, new Extent(1, 0)));
        return (!(node instanceof ScalarEvent scalar) || acceptTag(scalar.getTag(), event)) && acceptSize(event);
    }

    private boolean acceptAlias(NodeEvent alias) {
        Anchor anchor = alias.getAnchor().orElseThrow();
        if (open.stream().anyMatch(each -> each.anchor.equals(alias.getAnchor()))) {
            return refuse(alias.getStartMark(), "alias *" + anchor + " stands within its own anchor");
        }
        Extent extent = extents.getOrDefault(anchor, new Extent(0, 0));
        nodes += extent.nodes;
        contains(extent.height);
        return acceptSize(alias) && acceptDepth(open.size() + extent.height, alias);
    }

    /** Makes the innermost open list or mapping as high as a value in it requires. */
    private void contains(int height) {
        Open innermost = open.peek();
        if (innermost != null) {
            innermost.height = Math.max(innermost.height, height + 1);
        }
    }

    private boolean acceptDepth(int depth, Event event) {
        return depth <= maxDepth || refuse(event.getStartMark(), "nested more than " + maxDepth + " deep");
    }

    private boolean acceptSize(Event event) {
        return nodes <= MAX_NODES
                || refuse(
                        event.getStartMark(),
                        "too large: with every alias written out there are more than " + MAX_NODES + " values");
    }

    private boolean acceptTag(Optional<String> tag, Event event) {
        boolean known = tag.isEmpty()
                || tag.get().equals("!")
                || (tag.get().startsWith(TAG_PREFIX) && TAGS.contains(tag.get().substring(TAG_PREFIX.length())));
        return known || refuse(event.getStartMark(), "tag " + Quoted.quoted(tag.get()) + " is not allowed here");
    }

    private boolean refuse(Optional<Mark> mark, String message) {
        int line = mark.map(Mark::getLine).orElse(-1) + 1;
        problems.add(line, mark.map(Mark::getColumn).orElse(-1) + 1, "", lineOf(line), message);
        return false;
    }

    private void refuseAt(int position, String message) {
        int line = 1;
        int column = 1;
        int[] codePoints = text.codePoints().limit(position).toArray();
        for (int c : codePoints) {
            line += c == '\n' ? 1 : 0;
            column = c == '\n' ? 1 : column + 1;
        }
        problems.add(line, column, "", lineOf(line), message);
    }

    private String lineOf(int line) {
        return line < 1
                ? ""
                : text.lines().skip(line - 1L).findFirst().orElse("").strip();
    }
}
