package dev.sluice.simulate.svg;

/** Writes SVG. All lengths are tenths of a pixel, so that no rounding differs from one machine to the next. */
public final class Svg {
    private final StringBuilder out = new StringBuilder(16 * 1024);

    public Svg raw(String text) {
        out.append(text).append('\n');
        return this;
    }

    public Svg text(String type, long x, long y, String text) {
        out.append("<text class=\"").append(type).append("\" x=\"").append(tenths(x));
        out.append("\" y=\"")
                .append(tenths(y))
                .append("\">")
                .append(escape(text))
                .append("</text>\n");
        return this;
    }

    public Svg line(String type, long x1, long y1, long x2, long y2) {
        return path(type, "M" + tenths(x1) + " " + tenths(y1) + "L" + tenths(x2) + " " + tenths(y2));
    }

    public Svg rect(String type, long x, long y, long width, long height) {
        return path(type, box(x, y, width, height));
    }

    public Svg path(String type, CharSequence data) {
        if (data.length() > 0) {
            out.append("<path class=\"")
                    .append(type)
                    .append("\" d=\"")
                    .append(data)
                    .append("\"/>\n");
        }
        return this;
    }

    /** The part of a path that is a box. */
    public static String box(long x, long y, long width, long height) {
        return "M" + tenths(x) + " " + tenths(y) + "h" + tenths(width) + "v" + tenths(height) + "h" + tenths(-width)
                + "z";
    }

    /** A length in pixels. */
    public static String tenths(long value) {
        long whole = Math.abs(value) / 10;
        long rest = Math.abs(value) % 10;
        return (value < 0 ? "-" : "") + whole + (rest == 0 ? "" : "." + rest);
    }

    /** A text as it stands in SVG and HTML. */
    public static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
