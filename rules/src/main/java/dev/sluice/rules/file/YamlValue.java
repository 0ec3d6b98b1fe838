package dev.sluice.rules.file;

import dev.sluice.text.DidYouMean;
import dev.sluice.text.Quoted;
import dev.sluice.text.WholeNumber;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** A value of a YAML file that knows its place. Reading it as the wrong kind of value adds a problem. */
public final class YamlValue {
    private final Node node;
    private final String path;
    private final FileProblems problems;

    YamlValue(Node node, String path, FileProblems problems) {
        this.node = node;
        this.path = path;
        this.problems = problems;
    }

    /** A text by itself, not part of a document. */
    static YamlValue of(String text, FileProblems problems) {
        return new YamlValue(new ScalarNode(Tag.STR, text, ScalarStyle.DOUBLE_QUOTED), "", problems);
    }

    /** Where it stands in the document, such as {@code rules[2].limits[0]}; empty for the document itself. */
    public String path() {
        return path;
    }

    /** The line it begins in, counted from 1. */
    public int line() {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }

    /** The column it begins in, counted from 1. */
    public int column() {
        return node.getStartMark().map(mark -> mark.getColumn() + 1).orElse(0);
    }

    /** Adds a problem with this value. */
    public void problem(String message) {
        problem(0, message);
    }

    /** Adds a problem with this text from the character at {@code offset} on. */
    public void problem(int offset, String message) {
        String value = node instanceof ScalarNode scalar ? scalar.getValue() : "";
        problems.add(line(), offset == 0 ? column() : column(offset), path, value, message);
    }

    /** Adds a warning about this value. */
    void warn(String message) {
        String value = node instanceof ScalarNode scalar ? scalar.getValue() : "";
        problems.warn(line(), column(), path, value, message);
    }

    /** The column of a character of this text; where it begins, if it is not written as it is read. */
    private int column(int offset) {
        if (!(node instanceof ScalarNode scalar)) {
            return column();
        }
        int quote = scalar.isPlain() ? 0 : 1;
        int written = indexOf(node.getEndMark()) - indexOf(node.getStartMark()) - 2 * quote;
        boolean asRead = scalar.getValue().codePointCount(0, scalar.getValue().length()) == written;
        return scalar.isPlain() || asRead ? column() + quote + offset : column();
    }

    private static int indexOf(Optional<Mark> mark) {
        return mark.map(Mark::getIndex).orElse(0);
    }

    /** Adds the problem that this is not one of the values that a field can have. */
    public void unexpected(String expected) {
        problem("expected " + expected + ", was " + description());
    }

    /** The same, with the nearest of the values that it can have. */
    public void unexpected(String expected, Collection<String> known) {
        String hint = node instanceof ScalarNode scalar ? DidYouMean.hint(scalar.getValue(), known) : "";
        problem("expected " + expected + ", was " + description() + hint);
    }

    /** What it is, for messages: its text in quotes, nothing, a list or a mapping. */
    public String description() {
        if (node instanceof MappingNode) {
            return "a mapping";
        }
        if (node instanceof SequenceNode) {
            return "a list";
        }
        String value = ((ScalarNode) node).getValue();
        return isNull() && value.isEmpty() ? "nothing" : Quoted.quoted(value);
    }

    public boolean isMapping() {
        return node instanceof MappingNode;
    }

    public boolean isList() {
        return node instanceof SequenceNode;
    }

    /** Whether YAML reads it as true or false. */
    public boolean isBoolean() {
        return node.getTag().equals(Tag.BOOL);
    }

    /** Whether YAML reads it as a number. */
    public boolean isNumber() {
        return node.getTag().equals(Tag.INT) || node.getTag().equals(Tag.FLOAT);
    }

    public boolean isNull() {
        return node.getTag().equals(Tag.NULL);
    }

    /** Whether it is this text. */
    public boolean is(String text) {
        return node instanceof ScalarNode scalar && scalar.getValue().equals(text);
    }

    /** Its text; null, and a problem, if it is a list, a mapping or null. */
    public @Nullable String text(String expected) {
        if (node instanceof ScalarNode scalar && !isNull()) {
            return scalar.getValue();
        }
        unexpected(expected);
        return null;
    }

    /** A whole number; null, and a problem, if it is none or not within these bounds. */
    public @Nullable Long number(String expected, long min, long max) {
        String text = text(expected);
        Long number = text == null ? null : WholeNumber.parse(text);
        if (text != null && (number == null || number < min || number > max)) {
            unexpected(expected);
            return null;
        }
        return number;
    }

    /** The elements of a list; none, and a problem, if it is no list. */
    public List<YamlValue> list(String expected) {
        if (node instanceof SequenceNode) {
            return listOrOne();
        }
        unexpected(expected);
        return List.of();
    }

    /** The elements of a list; of anything else, itself. */
    public List<YamlValue> listOrOne() {
        if (!(node instanceof SequenceNode list)) {
            return List.of(this);
        }
        List<YamlValue> elements = new ArrayList<>(list.getValue().size());
        for (Node element : list.getValue()) {
            elements.add(new YamlValue(element, path + "[" + elements.size() + "]", problems));
        }
        return elements;
    }

    /** The fields of a mapping, whatever their names; null, and a problem, if it is no mapping. */
    public @Nullable YamlFields fields(String expected) {
        if (node instanceof MappingNode mapping) {
            return new YamlFields(this, mapping, problems);
        }
        unexpected(expected);
        return null;
    }

    /** The same where only some names are known; each other one is a problem. */
    public @Nullable YamlFields fields(String expected, Collection<String> known) {
        YamlFields fields = fields(expected);
        if (fields != null) {
            fields.checkNames(known);
        }
        return fields;
    }
}
