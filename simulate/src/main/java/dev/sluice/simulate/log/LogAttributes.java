package dev.sluice.simulate.log;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/** The attributes that a reader takes from each line, in an order. What is not wanted is not decoded. */
public final class LogAttributes {
    public static final String IP = "ip";
    public static final String USER = "user";
    public static final String METHOD = "method";
    public static final String HOST = "host";
    public static final String PATH = "path";
    public static final String REFERER = "header.referer";
    public static final String AGENT = "header.user-agent";
    /** A number, which every entry has beside its attributes, as are the two below. */
    public static final String STATUS = "status";

    public static final String BYTES = "bytes";
    public static final String DURATION = "duration";
    public static final String TIME = "time";
    /** The number of permits that a request asked for; 1 if a line has none. */
    public static final String COST = "cost";

    private final String[] names;

    private LogAttributes(Collection<String> names) {
        this.names = new LinkedHashSet<>(names).toArray(String[]::new);
    }

    /** These attributes, by the names that they have in rules. */
    public static LogAttributes of(Collection<String> names) {
        return new LogAttributes(names);
    }

    /** These attributes, by the names that they have in rules. */
    public static LogAttributes of(String... names) {
        return of(List.of(names));
    }

    /** The names. */
    public List<String> names() {
        return List.of(names);
    }

    /** The place of an attribute; -1 if it is not among them. */
    public int indexOf(String name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    /** How many there are. */
    public int size() {
        return names.length;
    }
}
