package dev.sluice.rules;

/** How values are shown in messages. */
public final class Quoted {
    private static final int MOST = 80;

    private Quoted() {}

    /** The value in quotes, on one line, cut where it is very long. */
    public static String quoted(String value) {
        StringBuilder shown = new StringBuilder("'");
        value.codePoints().limit(MOST).forEach(c -> {
            if (c == '\n') {
                shown.append("\\n");
            } else if (c == '\t') {
                shown.append("\\t");
            } else if (Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE) {
                shown.append(String.format("\\u%04x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return shown.append(value.codePointCount(0, value.length()) > MOST ? "…'" : "'")
                .toString();
    }
}
