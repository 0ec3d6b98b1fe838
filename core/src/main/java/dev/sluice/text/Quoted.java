package dev.sluice.text;

/** Quotes values for messages. */
public final class Quoted {
    private static final int MAX_SHOWN = 80;

    private Quoted() {}

    /** The value in quotes, on one line, cut after 80 characters. */
    public static String quoted(String value) {
        StringBuilder shown = new StringBuilder("'");
        value.codePoints().limit(MAX_SHOWN).forEach(c -> {
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
        return shown.append(value.codePointCount(0, value.length()) > MAX_SHOWN ? "…'" : "'")
                .toString();
    }
}
