package dev.sluice.simulate.log.format;

import dev.sluice.simulate.log.LogAttributes;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a field of a line is.
 *
 * @param kind how it is read
 * @param attribute the attribute that it is; empty if it is none
 */
record Column(Kind kind, String attribute) {
    enum Kind {
        TIME,
        /** {@code GET /path?query HTTP/1.1}: method and path. */
        REQUEST,
        /** A path, perhaps with a query. */
        PATH,
        STATUS,
        BYTES,
        /** How long it took. */
        SECONDS,
        MILLIS,
        MICROS,
        NANOS,
        /** Anything else that a rule may ask for. */
        TEXT,
        /** The same, exactly as it is: also if it is empty, or a dash, which loggers write for nothing. */
        VALUE,
        /** Nothing that anybody asks for. */
        NONE
    }

    static final Column TIME = new Column(Kind.TIME, LogAttributes.TIME);
    static final Column REQUEST = new Column(Kind.REQUEST, "");
    static final Column STATUS = new Column(Kind.STATUS, LogAttributes.STATUS);
    static final Column BYTES = new Column(Kind.BYTES, LogAttributes.BYTES);
    static final Column PATH = new Column(Kind.PATH, LogAttributes.PATH);
    static final Column NONE = new Column(Kind.NONE, "");

    static Column text(String attribute) {
        return new Column(Kind.TEXT, attribute);
    }

    /** An attribute of a request that a server recorded. */
    static Column value(String attribute) {
        return new Column(Kind.VALUE, attribute);
    }

    static Column duration(Kind unit) {
        return new Column(unit, LogAttributes.DURATION);
    }

    /** The column of an attribute that a person names, whose values may be written in any way. */
    static Column named(String attribute) {
        return switch (attribute) {
            case LogAttributes.TIME -> TIME;
            case LogAttributes.STATUS -> STATUS;
            case LogAttributes.BYTES -> BYTES;
            case LogAttributes.PATH -> PATH;
            case LogAttributes.DURATION -> duration(Kind.SECONDS);
            case "request" -> REQUEST;
            default -> text(attribute);
        };
    }

    /** The attributes that an entry has by this column. */
    Stream<String> attributes() {
        return switch (kind) {
            case REQUEST -> Stream.of(LogAttributes.METHOD, LogAttributes.PATH);
            case NONE -> Stream.empty();
            default -> Stream.of(attribute);
        };
    }

    /** The attributes that entries have by these columns, without the time. */
    static List<String> attributes(Stream<Column> columns) {
        return columns.flatMap(Column::attributes)
                .filter(name -> !name.equals(LogAttributes.TIME))
                .distinct()
                .toList();
    }
}
